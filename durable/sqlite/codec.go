package sqlite

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/fault"
)

func decode(data []byte, typ reflect.Type) (reflect.Value, error) {
	v := reflect.New(typ)
	if err := engine.Unmarshal(data, v); err != nil {
		return v.Elem(), fmt.Errorf("the stored %s doesn't fit any more: %w", typ, err)
	}
	return v.Elem(), nil
}

type failure struct {
	engine.Wire

	Text string `json:"text"`
}

func encodeError(d *engine.Definition, err error) []byte {
	data, broken := json.Marshal(failure{Text: engine.Text(err), Wire: d.Wire(err)})
	if broken != nil { // no field of a failure can cause this
		data = []byte(`{"text":"an error that can't be stored"}`)
	}
	return data
}

func decodeError(d *engine.Definition, data []byte) error {
	var f failure
	if err := json.Unmarshal(data, &f); err != nil {
		return fmt.Errorf("the stored error can't be read: %w", err)
	}
	return d.Far(f.Text, f.Wire)
}

func errorText(data []byte) string {
	var f failure
	if err := json.Unmarshal(data, &f); err != nil {
		return "the stored error can't be read: " + err.Error()
	}
	return f.Text
}

// fits returns an error if this engine doesn't store values of type typ, although other engines may.
func fits(typ reflect.Type) error {
	if engine.HoldsProtobuf(typ) {
		return fault.New(fault.InvalidRequest, "a "+typ.String()+" is or holds a message of protobuf, which package json doesn't store faithfully: use a type of your own")
	}
	return nil
}
