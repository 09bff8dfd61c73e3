package script

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// Action is one thing that a callback does. Each operation of the format is a type that implements Action.
type Action interface {
	// check reports to k what is wrong with the action where it stands.
	check(k *checker)
	// run carries the action out, in a callback.
	run(c *call)
}

// Actions are carried out one after the other, until one of them ends the callback.
type Actions []Action

// operations holds, for the name of each operation, a function that makes an empty action.
var operations = map[string]func() Action{
	"add":          func() Action { return new(Add) },
	"parallel":     func() Action { return new(Parallel) },
	"loop":         func() Action { return new(Loop) },
	"repeat":       func() Action { return new(Repeat) },
	"forEach":      func() Action { return new(ForEach) },
	"sync":         func() Action { return new(Sync) },
	"successStep":  func() Action { return new(SuccessStep) },
	"await":        func() Action { return new(Await) },
	"copyFrom":     func() Action { return new(CopyFrom) },
	"spawn":        func() Action { return new(Spawn) },
	"success":      func() Action { return new(Success) },
	"error":        func() Action { return new(Error) },
	"break":        func() Action { return new(Break) },
	"continue":     func() Action { return new(Continue) },
	"setTimeout":   func() Action { return new(SetTimeout) },
	"setCancel":    func() Action { return new(SetCancel) },
	"waitExternal": func() Action { return new(WaitExternal) },
	"wait":         func() Action { return new(Wait) },
	"log":          func() Action { return new(Log) },
	"args":         func() Action { return new(GetArgs) },
	"errinfo":      func() Action { return new(ErrInfo) },
	"time":         func() Action { return new(Time) },
	"set":          func() Action { return new(Set) },
	"inc":          func() Action { return new(Inc) },
	"get":          func() Action { return new(Get) },
	"seq":          func() Action { return new(Seq) },
	"mark":         func() Action { return new(Mark) },
	"enter":        func() Action { return new(Enter) },
	"leave":        func() Action { return new(Leave) },
	"if":           func() Action { return new(If) },
	"outerAdd":     func() Action { return new(OuterAdd) },
}

var names = func() map[reflect.Type]string {
	m := make(map[reflect.Type]string, len(operations))
	for name, empty := range operations {
		m[reflect.TypeOf(empty())] = name
	}
	return m
}()

// UnmarshalJSON reads a list of actions. Other JSON, and an unknown action, is a [*FormatError].
func (as *Actions) UnmarshalJSON(text []byte) error {
	var objects []map[string]json.RawMessage
	if err := json.Unmarshal(text, &objects); err != nil {
		return malformed("%v", err)
	}
	list := make(Actions, len(objects))
	for i, fields := range objects {
		var err error
		if list[i], err = action(fields); err != nil {
			return err
		}
	}
	*as = list
	return nil
}

func action(fields map[string]json.RawMessage) (Action, error) {
	var op string
	if err := json.Unmarshal(fields["op"], &op); err != nil {
		return nil, malformed("an action without op")
	}
	empty, known := operations[op]
	if !known {
		return nil, malformed("no such op: %q", op)
	}
	delete(fields, "op")
	rest, err := json.Marshal(fields)
	if err != nil {
		return nil, malformed("%s: %v", op, err)
	}
	a := empty()
	return a, strict(rest, a)
}

// MarshalJSON writes each action with its op first.
func (as Actions) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, a := range as {
		fields, err := json.Marshal(a)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"op":"` + names[reflect.TypeOf(a)] + `"`)
		if len(fields) > len("{}") {
			b.WriteByte(',')
		}
		b.Write(fields[1:])
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}
