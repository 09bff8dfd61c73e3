// Package share lets many runs share the work of one: a [Memo] loads the value of a key once
// for all that ask for it at the same time, and keeps it for a while; a [Batch] makes one load
// of the keys that are asked for at about the same time.
//
//	var users = share.NewMemo(share.MemoPolicy{Lifetime: time.Minute}, fetchUser)
//	var greeting = flow.Then(users.Get(), greet) // from a user's id
//
// A load is a run of its own. It belongs to no asker in particular: if one of them is
// cancelled the load goes on, and if all are it is cancelled. Askers may be on any loops; no
// goroutine waits for them. The load runs on the loop of an asker; if that loop ends first,
// the load begins again on the loop of another asker.
package share
