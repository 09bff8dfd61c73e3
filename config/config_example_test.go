package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/futoin-go/asyncsteps/config"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/syncx"
)

type Payments struct {
	Limit   config.Duration     `json:"limit"`
	Retry   retry.Policy        `json:"retry"`
	Breaker syncx.BreakerPolicy `json:"breaker"`
}

type Service struct {
	Payments Payments `json:"payments"`
}

// The settings of a service are read over its defaults.
func ExampleRead() {
	s := Service{Payments{Limit: config.Duration(time.Second), Retry: retry.Policy{Tries: 4}}}
	err := config.Read([]byte(`{"payments": {"retry": {"pause": "100ms"}, "breaker": {"rate": 0.5}}}`), &s)
	fmt.Println(err, s.Payments.Limit, s.Payments.Retry.Tries, s.Payments.Retry.Pause, s.Payments.Breaker.Rate)

	err = config.Read([]byte(`{"payments": {"retry": {"pause": "5 seconds"}}}`), &s)
	fmt.Println(err)
	// Output:
	// <nil> 1s 4 100ms 0.5
	// payments.retry.pause: "5 seconds" is no duration such as "1.5s"
}

func ExampleLoad() {
	s := Service{}
	err := config.Load(filepath.Join(os.TempDir(), "there", "is", "none.json"), &s)
	fmt.Println(errors.Is(err, os.ErrNotExist))
	// Output: true
}

func ExampleDuration() {
	text, err := json.Marshal(map[string]config.Duration{"pause": config.Duration(90 * time.Second)})
	fmt.Println(string(text), err)
	// Output: {"pause":"1m30s"} <nil>
}

func ExampleDuration_UnmarshalText() {
	var d config.Duration
	fmt.Println(d.UnmarshalText([]byte("1.5s")), time.Duration(d))
	// Output: <nil> 1.5s
}

func ExampleError() {
	var s Service
	err := config.Read([]byte(`{"payments": {"retries": 4}}`), &s)
	if wrong, ok := errors.AsType[*config.Error](err); ok {
		fmt.Println(wrong.Path, "-", wrong.Reason)
	}
	// Output: payments.retries - there is no such field
}
