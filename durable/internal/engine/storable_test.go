package engine

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

type embedded struct{ A int }

// A field that would be lost is refused by name, unless a tag says that it may be.
func TestPrivateFields(t *testing.T) {
	type keeps struct {
		embedded

		At    time.Time
		cache int `json:"-"`
		_     int
	}
	type loses struct {
		Name  string
		price int
	}
	type deep struct{ All map[string][]*loses }
	type pointed struct {
		*embedded

		Name string
	}
	_, _ = keeps{}.cache, loses{}.price
	for _, c := range []struct {
		reason string
		got    string
		want   string
	}{
		{"nothing is lost", unstorable(reflect.TypeFor[keeps]()), ""},
		{"private beside public", unstorable(reflect.TypeFor[loses]()), "field price of engine.loses"},
		{"deep inside", unstorable(reflect.TypeFor[deep]()), "field price of engine.loses"},
		{"can't be read back", unstorable(reflect.TypeFor[pointed]()), "field embedded of engine.pointed"},
	} {
		if (c.got == "") != (c.want == "") || !strings.Contains(c.got, c.want) {
			t.Errorf("%s: got %q, want %q", c.reason, c.got, c.want)
		}
	}
}
