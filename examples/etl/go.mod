module github.com/futoin-go/asyncsteps/examples/etl

go 1.26.0

require (
	github.com/futoin-go/asyncsteps v0.0.0-00010101000000-000000000000
	github.com/schollz/progressbar/v3 v3.18.0
)

require (
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	golang.org/x/sys v0.29.0 // indirect
	golang.org/x/term v0.28.0 // indirect
)

replace github.com/futoin-go/asyncsteps => ../../
