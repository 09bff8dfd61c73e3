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

type message struct{ A int }

func (*message) ProtoReflect() {}

// Messages of protobuf are found wherever package json would encode them.
func TestHoldsProtobuf(t *testing.T) {
	type holds struct{ All map[string][]*message }
	type hides struct {
		M *message `json:"-"`
		N *hides
	}
	for _, c := range []struct {
		t    reflect.Type
		want bool
	}{
		{reflect.TypeFor[message](), true},
		{reflect.TypeFor[*message](), true},
		{reflect.TypeFor[[]message](), true},
		{reflect.TypeFor[*holds](), true},
		{reflect.TypeFor[hides](), false},
		{reflect.TypeFor[time.Time](), false},
		{reflect.TypeFor[any](), false},
	} {
		if got := HoldsProtobuf(c.t); got != c.want {
			t.Errorf("%v: got %v", c.t, got)
		}
	}
}

// The name of a field in JSON counts, which may be longer than its name in Go.
func TestMayBeLargeByNames(t *testing.T) {
	type long struct {
		A int `json:"aNameThatIsMuchLongerThanThatOfTheFieldInGoAndThanItsValueIsInMemory0123456789012345678"`
	}
	if err := Check("the value", reflect.ValueOf(make([]long, MostBytes/80))); err == nil {
		t.Error("a value that is too large is taken")
	}
}
