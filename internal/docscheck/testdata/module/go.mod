module example.com/docs

go 1.26.0

require (
	github.com/failsafe-go/failsafe-go v0.9.8
	github.com/futoin-go/asyncsteps v0.0.0
	github.com/robfig/cron/v3 v3.0.1
	github.com/sourcegraph/conc v0.3.0
	go.temporal.io/sdk v1.50.0
	golang.org/x/sync v0.24.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	go.uber.org/atomic v1.7.0 // indirect
	go.uber.org/multierr v1.9.0 // indirect
	golang.org/x/exp v0.0.0-20260908205506-85c1c2202aba // indirect
)

replace go.temporal.io/sdk => ./temporal
