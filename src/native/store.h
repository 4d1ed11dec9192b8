/* SPDX-License-Identifier: Apache-2.0
 * The private folder of compiled code, behind a descriptor: see store.c. */
#ifndef ACTIO_NATIVE_STORE_H
#define ACTIO_NATIVE_STORE_H

#include <stdbool.h>
#include <sys/stat.h>

enum { ACTIO_STORE_NAME = 64 }; /* bytes of a file's name in it, with the 0 */

int actio_store_open(void); /* its descriptor, or -1 without a safe one */
/* a file that we own and nobody else can write, or -1 */
int actio_store_read(int folder, const char *name, struct stat *s);
int actio_store_create(int folder, const char *name);          /* a new file, or -1 */
int actio_store_work(int folder, char name[ACTIO_STORE_NAME]); /* a new, empty folder in it, or -1 */
void actio_store_drop(int folder, int work, const char *name); /* removes that folder and all in it; closes `work` */
void actio_store_sweep(int folder);                            /* old products, and what ended programs left */

#endif
