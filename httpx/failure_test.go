package httpx_test

import (
	"net/http"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/httpx"
)

// A status is that of the failure, not that of an earlier attempt.
func TestAnswered(t *testing.T) {
	gone := &httpx.StatusError{Status: http.StatusGone}
	late := fault.New(fault.Timeout, "")
	late.Secondary = []error{gone}
	for reason, tt := range map[string]struct {
		err      error
		statuses []int
		want     bool
	}{
		"one of several":  {gone, []int{http.StatusConflict, http.StatusGone}, true},
		"wrapped":         {fault.Wrap(fault.CommError, "", gone), []int{http.StatusGone}, true},
		"another one":     {gone, []int{http.StatusConflict}, false},
		"none":            {gone, nil, false},
		"secondary":       {late, []int{http.StatusGone}, false},
		"no answer":       {late, []int{0}, false},
		"no error at all": {nil, []int{http.StatusGone, 0}, false},
	} {
		if got := httpx.Answered(tt.err, tt.statuses...); got != tt.want {
			t.Errorf("%s: %v", reason, got)
		}
	}
}
