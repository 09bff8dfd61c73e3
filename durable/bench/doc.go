// Package bench compares the engine on a file with others that keep runs in SQLite: DBOS and go-workflows.
//
//	go test -run '^$' -bench Steps -benchtime 3s -cpu 2 .
//
// Each benchmark executes runs of ten steps, with 1, 16, 64 and 512 runs at once, on a file of its own in the folder for temporary
// files. That folder should be on a disk; set TMPDIR to use another one. go-workflows polls, and isn't measured with 512 runs.
// Commits of this repository and of go-workflows wait for the disk (synchronous=FULL). Those of DBOS don't (synchronous=NORMAL),
// nor do those of asyncsteps-relaxed, which is this repository with Options.Relaxed. dbos-full is DBOS with commits that wait.
package bench
