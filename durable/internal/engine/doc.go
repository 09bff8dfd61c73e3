// Package engine holds what the engines of durable runs share: the definition of a workflow without its types, its
// digest, the names of its bodies, the form in which errors pass between processes, the keys of calls, and where a run
// stands. Package durable is the face for users; an engine implements [Engine] and stands in a package of its own.
package engine
