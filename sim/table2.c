// SPDX-License-Identifier: Apache-2.0
#include "sim/table2.h"

static const struct sim_table2 printed[] = {
    {2400, 1, {5168, 1831}, {18, 8.7}},   {2400, 2, {2436, 1356}, {1.2, 1.9}},
    {2400, 5, {1333, 667}, {0.3, 0.7}},   {9600, 1, {4190, 1221}, {8.6, 5.7}},
    {9600, 2, {2298, 966}, {1.1, 1.9}},   {9600, 5, {1171, 412}, {0.3, 0.8}},
    {38400, 1, {6837, 2178}, {3.1, 2.6}}, {38400, 2, {3528, 1186}, {1.2, 2.1}},
    {38400, 5, {2015, 715}, {0.5, 0.9}},
};

const struct sim_table2 *sim_table2_printed(uint32_t cores, uint32_t iteration)
{
    for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++)
        if (printed[i].cores == cores && printed[i].iteration == iteration)
            return &printed[i];
    return NULL;
}
