module github.com/futoin-go/asyncsteps/durable

go 1.26.0

require github.com/futoin-go/asyncsteps v0.0.0

replace github.com/futoin-go/asyncsteps => ../
