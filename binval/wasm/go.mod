module github.com/futoin-go/asyncsteps/binval/wasm

go 1.26.0

require (
	github.com/futoin-go/asyncsteps v0.0.0
	github.com/tetratelabs/wazero v1.12.0
	golang.org/x/sys v0.44.0
)

require (
	golang.org/x/exp v0.0.0-20260908205506-85c1c2202aba // indirect
)

replace github.com/futoin-go/asyncsteps => ../..
