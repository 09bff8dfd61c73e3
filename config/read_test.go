package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/config"
)

type level int

func (l *level) UnmarshalText(text []byte) error {
	if string(text) != "high" {
		return errors.New("no level")
	}
	*l = 3
	return nil
}

type common struct {
	Name string `json:"name"`
}

type settings struct {
	common

	Plain  int
	Limit  config.Duration      `json:"limit,omitempty"`
	Level  level                `json:"level"`
	Nested *nested              `json:"nested"`
	ByName map[string]nested    `json:"byName"`
	Pages  map[string]*nested   `json:"pages"`
	List   []nested             `json:"list"`
	Hidden int                  `json:"-"`
	Times  map[int]int          `json:"times"`
	Bounds map[string]time.Time `json:"bounds"`
	secret int
}

type nested struct {
	A int `json:"a"`
	B int `json:"b"`
}

func TestRead(t *testing.T) {
	defaults := func() settings {
		return settings{Plain: 1, Nested: &nested{1, 2}, ByName: map[string]nested{"x": {1, 2}, "y": {3, 4}}}
	}
	show := func(s settings) string {
		return fmt.Sprint(s.Name, " ", s.Plain, " ", s.Limit, " ", s.Level, " ", *s.Nested, " ", s.ByName, " ", len(s.Pages), " ", s.List, " ", s.Times)
	}
	for text, want := range map[string]string{
		`{}`:   ` 1 0s 0 {1 2} map[x:{1 2} y:{3 4}] 0 [] map[]`,
		`null`: ` 1 0s 0 {1 2} map[x:{1 2} y:{3 4}] 0 [] map[]`,
		`{"name":"n","plain":2,"limit":"1m","level":"high"}`:                              `n 2 1m0s 3 {1 2} map[x:{1 2} y:{3 4}] 0 [] map[]`,
		`{"PLAIN":2,"nested":{"a":7},"byName":{"x":{"b":9},"z":{"a":1}}}`:                 ` 2 0s 0 {7 2} map[x:{1 9} y:{3 4} z:{1 0}] 0 [] map[]`,
		`{"nested":null,"byName":null,"pages":{"p":{}},"list":[{"a":1}],"times":{"1":2}}`: ` 1 0s 0 {1 2} map[x:{1 2} y:{3 4}] 1 [{1 0}] map[1:2]`,
	} {
		s := defaults()
		if err := config.Read([]byte(text), &s); err != nil || show(s) != want {
			t.Errorf("%s: %v, got %s, want %s", text, err, show(s), want)
		}
	}
	for text, want := range map[string]string{
		`{"Limit":"1s"}`:                `Limit: there is no such field`,
		`{"secret":1}`:                  `secret: there is no such field`,
		`{"-":1}`:                       `-: there is no such field`,
		`{"hidden":1}`:                  `hidden: there is no such field`,
		`{"nested":{"c":1}}`:            `nested.c: there is no such field`,
		`{"byName":{"x":{"a":"1"}}}`:    `byName.x.a: a JSON string where a value of the type int belongs`,
		`{"limit":"1"}`:                 `limit: "1" is no duration such as "1.5s"`,
		`{"level":"low"}`:               `level: no level`,
		`{"list":[{},{"a":"x"}]}`:       `list.1.a: a JSON string where a value of the type int belongs`,
		`{"bounds":{"from":"no time"}}`: ``,
		`{"list":{}}`:                   `list: a JSON object where a list belongs`,
		`{"plain":1} {}`:                ``,
		`{"plain":1`:                    ``,
		`7`:                             `a JSON number where an object belongs`,
		``:                              ``,
	} {
		s := defaults()
		err := config.Read([]byte(text), &s)
		typed := new(config.Error)
		if !errors.As(err, &typed) || want != "" && err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
		if s.Plain != 1 || s.ByName["x"] != (nested{1, 2}) || s.secret != 0 {
			t.Errorf("%s has changed the settings: %+v", text, s)
		}
	}
}

func TestLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "service.json")
	s := settings{Plain: 1}
	if err := config.Load(file, &s); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	for text, want := range map[string]string{`{"plain":2}`: "", `{"nested":{"c":1}}`: "service.json: nested.c: there is no such field"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := config.Load(file, &s)
		if want == "" && (err != nil || s.Plain != 2) || want != "" && (err == nil || !strings.HasSuffix(err.Error(), want)) {
			t.Errorf("%s: %v, %+v", text, err, s)
		}
	}
}

// zone is a key that is read as text.
type zone string

func (z *zone) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("no zone")
	}
	*z = zone(strings.ToLower(string(text)))
	return nil
}

func TestReadKeysOfMaps(t *testing.T) {
	var s struct{ Zones map[zone]nested }
	s.Zones = map[zone]nested{"eu": {1, 2}}
	err := config.Read([]byte(`{"zones":{"EU":{"a":3},"us":{}}}`), &s)
	if got := fmt.Sprint(s.Zones); err != nil || got != "map[eu:{3 2} us:{0 0}]" {
		t.Error(got, err)
	}
	if err := config.Read([]byte(`{"zones":{"":{}}}`), &s); err == nil || err.Error() != "zones: no zone" {
		t.Error(err)
	}
}

// Arrays, maps with any keys, and what the pointers in interfaces point to, are read like structs.
func TestReadElements(t *testing.T) {
	type settings struct {
		ByPort map[int]nested
		Pair   [2]nested
		Slots  [2][]int
		Plugin any
	}
	for text, want := range map[string]string{
		`{"byPort":{"80":{"a":3},"81":{"b":4}}}`: `map[80:{3 2} 81:{0 4}] [{1 2} {3 4}] [[1] [2]] &{5 6}`,
		`{"pair":[{"a":7}]}`:                     `map[80:{1 2}] [{7 2} {0 0}] [[1] [2]] &{5 6}`,
		`{"pair":[{},{"a":7},{"b":8}]}`:          `pair.2: there is no such element`,
		`{"plugin":{"b":7}}`:                     `map[80:{1 2}] [{1 2} {3 4}] [[1] [2]] &{5 7}`,
		`{"plugin":null}`:                        `map[80:{1 2}] [{1 2} {3 4}] [[1] [2]] &{5 6}`,
		`{"pair":null,"slots":[[5,6],null]}`:     `map[80:{1 2}] [{1 2} {3 4}] [[5 6] [2]] &{5 6}`,
		`{"byPort":{"80":{"c":1}}}`:              `byPort.80.c: there is no such field`,
		`{"byPort":{"http":{}}}`:                 `byPort.http: a JSON number http where a value of the type int belongs`,
		`{"byPort":[]}`:                          `byPort: a JSON array where an object belongs`,
		`{"pair":[{},{"c":1}]}`:                  `pair.1.c: there is no such field`,
		`{"pair":{}}`:                            `pair: a JSON object where a list belongs`,
		`{"plugin":{"c":1}}`:                     `plugin.c: there is no such field`,
		`{"plugin":{"a":"x"}}`:                   `plugin.a: a JSON string where a value of the type int belongs`,
		`{"slots":[[7],["x"]]}`:                  `slots.1.0: a JSON string where a value of the type int belongs`,
	} {
		s := settings{map[int]nested{80: {1, 2}}, [2]nested{{1, 2}, {3, 4}}, [2][]int{{1}, {2}}, &nested{5, 6}}
		show := func() string { return fmt.Sprint(s.ByPort, s.Pair, s.Slots, s.Plugin) }
		before := show()
		err := config.Read([]byte(text), &s)
		got := show()
		if err != nil {
			if got != before {
				t.Errorf("%s has changed the settings: %s", text, got)
			}
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// A default may be shared, so its bytes don't change.
func TestReadBytes(t *testing.T) {
	for text, want := range map[string]string{
		`{"key":[97,98]}`:     "ab",
		`{"key":[97,98,"x"]}`: "old",
		`{"key":"YWI="}`:      "ab",
		`{"key":null}`:        "old",
	} {
		shared := []byte("old")
		s := struct{ Key []byte }{shared}
		if err := config.Read([]byte(text), &s); (err != nil) != strings.Contains(text, "x") {
			t.Errorf("%s: %v", text, err)
		}
		if string(s.Key) != want || string(shared) != "old" {
			t.Errorf("%s: got %q, want %q; the default is %q", text, s.Key, want, shared)
		}
	}
}
