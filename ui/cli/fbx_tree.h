// FBX as the tree of nodes that it is, binary or text. Assimp reads FBX for us, but keeps neither
// the numbers that vertices have in the file nor the full weights of in-betweens.
#ifndef MIEN_CLI_FBX_TREE_H
#define MIEN_CLI_FBX_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// 'n' a number, 's' a text, '[' an array that is read when it is asked for.
typedef struct fbx_value {
  char kind;
  char type; // of an array: f d l i b c; 't' = numbers as text
  double number;
  int64_t whole;
  const char *bytes;
  size_t size;    // of a text or an array in the file
  uint32_t count; // of an array
  bool is_deflated;
} fbx_value;

typedef struct fbx_node {
  const char *name;
  size_t name_size;
  fbx_value *value;
  int nvalue;
  struct fbx_node *child, *next;
} fbx_node;

typedef struct fbx_tree {
  const char *bytes; // of the caller's
  size_t size;
  fbx_node *top; // the first of a list
  void **block;
  int nblock, capacity;
  bool is_out_of_memory;
} fbx_tree;

// False when it is no FBX file of version 7, or damaged. Free it in any case.
bool fbx_tree_read(const char *bytes, size_t size, fbx_tree *tree);
void fbx_tree_free(fbx_tree *tree);
void *fbx_push(fbx_tree *tree, size_t count, size_t size); // zeroed, as long as the tree

const fbx_node *fbx_find(const fbx_node *list, const char *name); // NULL when there is none
bool fbx_is(const fbx_node *node, const char *name);
// A text up to its class ("smile" of "smile\0\1Geometry" and of "Geometry::smile"); "" when the
// value is none.
const char *fbx_text(fbx_tree *tree, const fbx_node *node, int value);
int64_t fbx_whole(const fbx_node *node, int value); // 0 when there is no such number
// The first array of a node; NULL (and count 0) when it has none or is damaged.
double *fbx_doubles(fbx_tree *tree, const fbx_node *node, size_t *count);
int32_t *fbx_wholes(fbx_tree *tree, const fbx_node *node, size_t *count);

// fbx_text.c: the same from a file of text
bool fbx_text_read(fbx_tree *tree);

#endif
