module example.com/docs

go 1.26.0

require (
	github.com/futoin-go/asyncsteps v0.0.0
	go.temporal.io/sdk v1.50.0
	golang.org/x/sync v0.24.0
	pgregory.net/rapid v1.3.0
)

require golang.org/x/exp v0.0.0-20260908205506-85c1c2202aba // indirect

replace go.temporal.io/sdk => ./temporal

