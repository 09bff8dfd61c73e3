package engine

import (
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

type embedded struct{ A int }

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
	type guarded struct {
		sync.Mutex `json:"-"`
		*embedded  `json:"-"`

		N int
	}
	type guards struct {
		guarded

		price int
	}
	_, _ = keeps{}.cache, loses{}.price
	_ = guards{}.price
	for _, c := range []struct {
		reason string
		got    string
		want   string
	}{
		{"nothing is lost", unstorable(reflect.TypeFor[keeps]()), ""},
		{"an embedded struct is left out", unstorable(reflect.TypeFor[guarded]()), ""},
		{"beside one that leaves others out", unstorable(reflect.TypeFor[guards]()), "field price of engine.guards"},
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

// readable is a message that encodes itself for package json.
type readable struct{ message }

func (*readable) MarshalJSON() ([]byte, error) { return nil, nil }

// binary encodes itself, but not for package json.
type binary struct{ M *message }

func (binary) MarshalBinary() ([]byte, error) { return nil, nil }

func TestHoldsProtobuf(t *testing.T) {
	type holds struct{ All map[string][]*message }
	type hides struct {
		M *message `json:"-"`
		N *hides
		m *message
		_ message
	}
	_ = hides{}.m
	for _, c := range []struct {
		t    reflect.Type
		want bool
	}{
		{reflect.TypeFor[message](), true},
		{reflect.TypeFor[*message](), true},
		{reflect.TypeFor[[]message](), true},
		{reflect.TypeFor[*holds](), true},
		{reflect.TypeFor[binary](), true},
		{reflect.TypeFor[hides](), false},
		{reflect.TypeFor[[]*readable](), false},
		{reflect.TypeFor[time.Time](), false},
		{reflect.TypeFor[any](), false},
	} {
		if got := HoldsProtobuf(c.t); got != c.want {
			t.Errorf("%v: got %v", c.t, got)
		}
	}
}

// A field may have a longer name in JSON than in Go.
func TestMayBeLargeByNames(t *testing.T) {
	type long struct {
		A int `json:"aNameThatIsMuchLongerThanThatOfTheFieldInGoAndThanItsValueIsInMemory0123456789012345678"`
	}
	if err := Check("the value", reflect.ValueOf(make([]long, MostBytes/80))); err == nil {
		t.Error("a value that is too large is taken")
	}
}

// row has the long tags that protoc-gen-go writes.
type row struct {
	Name  string  `json:"name,omitempty"  protobuf:"bytes,1,opt,name=name,proto3"`
	Score float64 `json:"score,omitempty" protobuf:"fixed64,2,opt,name=score,proto3"`
	Count int64   `json:"count,omitempty" protobuf:"varint,3,opt,name=count,proto3"`
}

func (*row) ProtoReflect() {}

// A small message of protobuf isn't encoded as JSON, which takes no NaN.
func TestMessageHoldsNaN(t *testing.T) {
	rows := make([]*row, 2000)
	for i := range rows {
		rows[i] = &row{Name: "a", Score: math.NaN(), Count: 1}
	}
	type table struct {
		message

		Rows []*row
	}
	if err := Check("the input", reflect.ValueOf(&table{Rows: rows})); err != nil {
		t.Error(err)
	}
}

type field struct{ text string }

func (f *field) UnmarshalText(text []byte) error {
	f.text = string(text)
	return nil
}

func TestInert(t *testing.T) {
	type list struct {
		Next *list
		At   time.Time
		All  map[string][]float64
	}
	for typ, want := range map[reflect.Type]bool{
		reflect.TypeFor[int]():               true,
		reflect.TypeFor[*list]():             true,
		reflect.TypeFor[[]any]():             false,
		reflect.TypeFor[map[field]int]():     false,
		reflect.TypeFor[struct{ F field }](): false,
		reflect.TypeFor[*readable]():         false,
		reflect.TypeFor[map[string]list]():   true,
	} {
		for range 2 { // the second time it is known
			if got := inert(typ); got != want {
				t.Errorf("%v: got %t", typ, got)
			}
		}
	}
}
