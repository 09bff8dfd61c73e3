// Package storm runs random plans of all combinators on real loops, and checks what has become of the world outside:
// see docs/internals/laws.md. The tests of this folder are all there is of it.
package storm
