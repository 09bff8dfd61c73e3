package yamltest

import (
	"testing"
	"time"

	goccy "github.com/goccy/go-yaml"
	"go.yaml.in/yaml/v3"
	sigs "sigs.k8s.io/yaml"

	"github.com/futoin-go/asyncsteps/config"
	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/syncx"
)

type settings struct {
	Limit   config.Duration      `json:"limit"   yaml:"limit"`
	Retry   retry.Policy         `json:"retry"`
	Breaker syncx.BreakerPolicy  `json:"breaker"`
	Learned syncx.AdaptivePolicy `json:"learned"`
	Jobs    map[string]cron.Job  `json:"jobs"`
}

const file = `
limit: 1.5s
retry:
  tries: 2
  pause: 100ms # text as in Go
  codes: [Timeout, CommError]
breaker: {rate: 0.5, window: 10s}
jobs:
  sweep: {period: 15m, overlap: later}
`

func defaults() settings {
	return settings{
		Retry: retry.Policy{Tries: 4, Factor: 2},
		Jobs:  map[string]cron.Job{"sweep": {Name: "sweep", Limit: time.Minute}},
	}
}

func same(t *testing.T, s settings) {
	t.Helper()
	r, b, j := s.Retry, s.Breaker, s.Jobs["sweep"]
	if time.Duration(s.Limit) != 1500*time.Millisecond || r.Tries != 2 || r.Pause != 100*time.Millisecond || r.Factor != 2 || len(r.Codes) != 2 || r.Codes[1] != fault.CommError {
		t.Errorf("%+v", s)
	}
	if b.Rate != 0.5 || b.Window != 10*time.Second || j.Name != "sweep" || j.Period != 15*time.Minute || j.Limit != time.Minute || j.Overlap != cron.Later {
		t.Errorf("%+v %+v", b, j)
	}
}

func read(file []byte, settings *settings) error {
	text, err := sigs.YAMLToJSONStrict(file)
	if err == nil {
		err = config.Read(text, settings)
	}
	return err
}

func TestSigs(t *testing.T) {
	s := defaults()
	if err := read([]byte(file), &s); err != nil {
		t.Fatal(err)
	}
	same(t, s)
	text, err := sigs.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	again := settings{Jobs: defaults().Jobs}
	if err := read(text, &again); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	same(t, again)
	for text, want := range map[string]string{
		"retry: {pause: 5}":         `retry.pause: 5 is no duration such as "1.5s"`,
		"breaker: {rate: 7}":        `breaker: breaker: Rate must be from 0 to 1, got 7`,
		"jobs: {sweep: {at: 7}}":    `jobs.sweep.at: there is no such field`,
		"learned: {min: 3, max: 2}": `learned: adaptive limit: Min is 3, above Max, 2`,
	} {
		if err := read([]byte(text), &s); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	same(t, s)
}

// These libraries know encoding.TextUnmarshaler.
func TestText(t *testing.T) {
	for name, unmarshal := range map[string]func([]byte, any) error{
		"yaml.v3": yaml.Unmarshal,
		"goccy":   goccy.Unmarshal,
	} {
		var s struct {
			Limit config.Duration `yaml:"limit"`
		}
		if err := unmarshal([]byte("limit: 1.5s"), &s); err != nil || time.Duration(s.Limit) != 1500*time.Millisecond {
			t.Errorf("%s: %v, %v", name, s.Limit, err)
		}
		if err := unmarshal([]byte("limit: soon"), &s); err == nil {
			t.Errorf("%s: read soon as %v", name, s.Limit)
		}
	}
	if text, err := yaml.Marshal(map[string]config.Duration{"limit": config.Duration(time.Second)}); string(text) != "limit: 1s\n" || err != nil {
		t.Errorf("%s, %v", text, err)
	}
}

// With this option the library calls UnmarshalJSON.
func TestGoccyByJSON(t *testing.T) {
	s := defaults()
	if err := goccy.UnmarshalWithOptions([]byte(file), &s, goccy.UseJSONUnmarshaler()); err != nil {
		t.Fatal(err)
	}
	j := s.Jobs["sweep"] // without its defaults: this library makes a new entry
	j.Name, j.Limit = "sweep", time.Minute
	s.Jobs["sweep"] = j
	same(t, s)
}
