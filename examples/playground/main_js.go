// Playground is the program of the README in a browser: it draws the plan, and the visitor runs it step by step,
// answers its calls, fails them, and cancels it.
//
//	bash examples/playground/build /tmp/playground
//
// makes the static files. Any web server may serve them; python3 -m http.server does.
package main

import (
	"encoding/json"
	"syscall/js"

	"github.com/futoin-go/asyncsteps/examples/playground/play"
)

func main() {
	js.Global().Set("asyncsteps", js.ValueOf(map[string]any{
		"tree":  js.FuncOf(func(js.Value, []js.Value) any { return text(play.Tree(), nil) }),
		"after": js.FuncOf(after),
	}))
	js.Global().Call("dispatchEvent", js.Global().Get("Event").New("asyncsteps"))
	select {} // the page calls the functions as long as it lives
}

// after takes moves as JSON, and returns the view after them, or an error, as JSON.
func after(_ js.Value, args []js.Value) any {
	var moves []play.Move
	if err := json.Unmarshal([]byte(args[0].String()), &moves); err != nil {
		return text(nil, err)
	}
	return text(play.After(moves))
}

// text returns v as JSON, or {"error": …}.
func text(v any, err error) string {
	if err != nil {
		v = map[string]string{"error": err.Error()}
	}
	out, err := json.Marshal(v)
	if err != nil {
		return `{"error": "no JSON"}`
	}
	return string(out)
}
