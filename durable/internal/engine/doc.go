// Package engine holds what the engines of durable runs share, such as the definition of a workflow without its types, its digest,
// the names of its bodies, the form in which errors pass between processes, the keys of calls, and where a run stands. An engine
// implements [Engine]. Package durable is the face for users.
package engine
