module github.com/futoin-go/asyncsteps/examples/plugins

go 1.26.0

require (
	github.com/futoin-go/asyncsteps v0.0.0
	github.com/futoin-go/asyncsteps/binval/wasm v0.0.0
)

require (
	github.com/tetratelabs/wazero v1.12.0 // indirect
	golang.org/x/exp v0.0.0-20260908205506-85c1c2202aba // indirect
	golang.org/x/sys v0.44.0 // indirect
)

replace (
	github.com/futoin-go/asyncsteps => ../..
	github.com/futoin-go/asyncsteps/binval/wasm => ../../binval/wasm
)
