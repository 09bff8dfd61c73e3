// Package share makes many runs share work: a [Memo] loads the value of a key once for all runs
// that ask for it at the same time, and may keep it for a while; a [Batch] loads the keys that
// are asked for at about the same time together.
//
//	var users = share.NewMemo(share.MemoPolicy{Lifetime: time.Minute}, fetchUser)
//	var greeting = flow.Then(users.Get(), greet) // from a user's id
//
// A load is a run of its own. It belongs to no asker in particular: if one asker is cancelled
// the load goes on for the others; if all are, the load is cancelled. Askers may be on any loops,
// and take no goroutine while they wait. The load runs on the loop of an asker; if that loop ends first,
// the load begins again on the loop of another asker, if there is one.
package share
