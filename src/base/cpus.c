// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "base/cpus.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = 4096, MASK_CPUS = 8192 };

unsigned twi_cpus_online(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

static __thread const cpu_set_t *before_binding;

void twi_cpus_bound(const cpu_set_t *before)
{
    before_binding = before;
}

cpu_set_t *twi_cpus_mask(size_t *size)
{
    cpu_set_t *mask = CPU_ALLOC(MASK_CPUS);
    *size = CPU_ALLOC_SIZE(MASK_CPUS);
    if (mask && before_binding) {
        memcpy(mask, before_binding, *size);
    } else if (mask && sched_getaffinity(0, *size, mask) != 0) {
        CPU_FREE(mask);
        mask = NULL;
    }
    return mask;
}

unsigned twi_cpus_allowed(void)
{
    size_t size;
    cpu_set_t *mask = twi_cpus_mask(&size);
    if (!mask)
        return twi_cpus_online();
    int n = CPU_COUNT_S(size, mask);
    CPU_FREE(mask);
    return n > 0 ? (unsigned)n : 1;
}

int twi_cpus_nth(unsigned n)
{
    size_t size;
    cpu_set_t *mask = twi_cpus_mask(&size);
    int found = -1;
    for (int cpu = 0; mask && cpu < MASK_CPUS && found < 0; cpu++)
        if (CPU_ISSET_S(cpu, size, mask) && n-- == 0)
            found = cpu;
    if (mask)
        CPU_FREE(mask);
    return found;
}

// The first line of root/directory/file into text; 0 when there is none.
static int line_read(const char *root, const char *directory, const char *file, char *text,
                     size_t size)
{
    char path[PATH_ROOM];
    if ((size_t)snprintf(path, sizeof path, "%s/%s/%s", root, directory, file) >= sizeof path)
        return 0;
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    int got = fgets(text, (int)size, f) != NULL;
    fclose(f);
    return got;
}

static double quota_v2(const char *root, const char *directory)
{
    char text[128];
    double quota, period;
    if (line_read(root, directory, "cpu.max", text, sizeof text) &&
        sscanf(text, "%lf %lf", &quota, &period) == 2 && quota > 0 && period > 0)
        return quota / period;
    return 0;
}

static double quota_v1(const char *root, const char *directory)
{
    char text[128];
    if (!line_read(root, directory, "cpu.cfs_quota_us", text, sizeof text))
        return 0;
    double quota = atof(text);
    if (!line_read(root, directory, "cpu.cfs_period_us", text, sizeof text))
        return 0;
    double period = atof(text);
    return quota > 0 && period > 0 ? quota / period : 0;
}

// The tightest quota on the way from a group up to its mount point: any ancestor may limit.
static double quota_upwards(const char *root, const char *mount, char *group,
                            double (*read)(const char *, const char *))
{
    double tightest = 0;
    for (;;) {
        char directory[PATH_ROOM];
        if ((size_t)snprintf(directory, sizeof directory, "%s%s", mount, group) <
            sizeof directory) {
            double quota = read(root, directory);
            if (quota > 0 && (tightest == 0 || quota < tightest))
                tightest = quota;
        }
        char *slash = strrchr(group, '/');
        if (!slash)
            return tightest;
        *slash = '\0';
    }
}

// One line of /proc/self/cgroup: "number:controllers:path". Takes the tighter of *quota and its
// own.
static void quota_of_line(const char *root, char *line, double *quota, const char **from)
{
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return;
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    controllers++;
    double found = 0;
    const char *kind = "cgroup v2";
    if (*controllers == '\0') {
        found = quota_upwards(root, "sys/fs/cgroup", group, quota_v2);
    } else {
        char list[256];
        snprintf(list, sizeof list, ",%s,", controllers);
        if (strstr(list, ",cpu,")) {
            kind = "cgroup v1";
            found = quota_upwards(root, "sys/fs/cgroup/cpu", group, quota_v1);
        }
    }
    if (found > 0 && (*quota == 0 || found < *quota)) {
        *quota = found;
        *from = kind;
    }
}

double twi_cpus_quota(const char *root, const char **from)
{
    char path[PATH_ROOM], line[PATH_ROOM];
    double quota = 0;
    *from = "none";
    if ((size_t)snprintf(path, sizeof path, "%s/proc/self/cgroup", root) >= sizeof path)
        return 0;
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    while (fgets(line, sizeof line, f))
        quota_of_line(root, line, &quota, from);
    fclose(f);
    return quota;
}

unsigned twi_cpus_grant(unsigned allowed, double quota)
{
    if (quota > 0 && ceil(quota) < allowed)
        allowed = (unsigned)ceil(quota);
    return allowed ? allowed : 1;
}
