// Package seam is the one place where type parameters meet the untyped
// machine of package frame.
//
// A [Stage] is the typed face of a [Node], which is data: what a stage is,
// what it holds, and how its ops are emitted. Compiling a stage yields an
// [Instance]: ops and typed cells wired to each other, so that values move
// between steps without boxing. Instances are pooled by their stage; taking one
// from the pool is what FTN12 §1.5 calls cloning.
//
// Neither building, compiling nor describing a plan recurses, so a plan may
// be a million steps long or a hundred thousand levels deep.
package seam
