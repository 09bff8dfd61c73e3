// Package private provides the private loops on which callers drive their own runs, as flow.Run does. The loops are pooled,
// user code gets them on loan, and the end of a run ends all other runs on its loop.
//
//	take ──▶ driven by the caller ──vacate──▶ idle, for the next run
//	                │ user code has got the Host, runs live on it, or a part was left behind
//	                └──▶ End, Forsake: the loop ends for good
//
// The goroutine that drives a loop is in its seat unless it sleeps, and owns every field of the loop but lent. A loan may
// be used from any goroutine.
package private
