// Package storm runs random plans of many combinators on real loops, and checks their effects on the world outside: see
// docs/internals/laws.md. It has only tests.
package storm
