package step

import "github.com/futoin-go/asyncsteps/fault"

var errNilFailure = fault.New(fault.InternalError, "failed without an error")
