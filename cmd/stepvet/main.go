// Stepvet finds mistakes in plans that the compiler doesn't see.
//
//	go install github.com/futoin-go/asyncsteps/cmd/stepvet@latest
//	stepvet ./...
//	stepvet -fix ./...
//	go vet -vettool=$(which stepvet) ./...
//
// Its checks are those of package checks. By default all of them run; -blocking runs only that one, and -blocking=false all others.
// Code that is meant to be as it is gets a mark in its line, or in the line above, with a reason:
//
//	<-release //stepvet:ignore this test holds the loop up on purpose
//
// docs/guide/vet.md of the repository shows what each check finds.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/futoin-go/asyncsteps/cmd/stepvet/checks"
)

func main() { multichecker.Main(checks.All()...) }
