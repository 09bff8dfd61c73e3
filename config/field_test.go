package config_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/futoin-go/asyncsteps/config"
)

type (
	base struct {
		Host string
		Port int `json:"port"`
	}
	Base  struct{ Host string }
	Other struct{ Host string }
	Size  int
	Loops struct {
		*Loops

		Host string
	}
)

// compare reads text into a T, as encoding/json does if that knows a field of this name. Otherwise Read must refuse it.
func compare[T any](t *testing.T, reason, text string) {
	t.Helper()
	var want, got, empty T
	err := json.Unmarshal([]byte(text), &want)
	known := err == nil && !reflect.DeepEqual(want, empty)
	if err := config.Read([]byte(text), &got); (err == nil) != known || !reflect.DeepEqual(want, got) {
		t.Errorf("%s: got %+v, %v, encoding/json reads %+v", reason, got, err, want)
	}
}

func TestFieldsAreThoseOfJSON(t *testing.T) {
	compare[struct {
		Base `json:"base"`
	}](t, "a struct with a name holds its fields", `{"Host":"h"}`)
	compare[struct {
		Base `json:"base"`
	}](t, "a struct with a name", `{"base":{"Host":"h"}}`)
	compare[struct {
		base `json:"base"`
	}](t, "a struct with a name, and a type that isn't exported", `{"base":{"Host":"h"}}`)
	compare[struct {
		Base `json:"-"`
	}](t, "a struct that is left out", `{"Host":"h"}`)
	compare[struct{ *Base }](t, "a nil pointer", `{"Host":"h"}`)
	compare[struct{ *base }](t, "a nil pointer that can't be set", `{"Host":"h"}`)
	compare[struct {
		Port int
		B    int `json:"port"`
	}](t, "the tag wins over another case", `{"port":1}`)
	compare[struct {
		base

		PORT int
	}](t, "the tag further in wins over another case", `{"port":1}`)
	compare[struct {
		Base

		Host string `json:"name"`
	}](t, "the field further in has a name of its own", `{"Host":"h"}`)
	compare[struct {
		Base
		Other
	}](t, "two fields with the same name", `{"Host":"h"}`)
	compare[struct {
		Base
		Other

		Host string
	}](t, "the outermost of several", `{"host":"h"}`)
	compare[struct{ Size }](t, "an embedded number", `{"size":1}`)
	compare[struct {
		A int `json:"-,"` //nolint:staticcheck // the name, as encoding/json documents it
	}](t, "the name -", `{"-":1}`)
	compare[Loops](t, "a type that embeds itself", `{"host":"h"}`)
}

// The error has the path of the field.
func TestNilPointerThatCannotBeSet(t *testing.T) {
	var into struct{ Inner struct{ *base } }
	err := config.Read([]byte(`{"Inner":{"port":1}}`), &into)
	if err == nil || err.Error() != "Inner.port: it is in a nil pointer to config_test.base, which isn't exported" {
		t.Errorf("got %v", err)
	}
}
