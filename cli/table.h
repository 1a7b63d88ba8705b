// SPDX-License-Identifier: Apache-2.0
// Tables of applications, as text or as JSON.
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

struct app_table;
struct json;

void table_text(const struct app_table *table);
void table_json(struct json *json, const struct app_table *table);

#endif
