package browsertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// send sends a command. Each message of the protocol ends with a zero byte.
func (b *Browser) send(method string, params any) {
	b.id++
	if params == nil {
		params = struct{}{}
	}
	message := map[string]any{"id": b.id, "method": method, "params": params}
	if b.session != "" && !strings.HasPrefix(method, "Browser.") {
		message["sessionId"] = b.session
	}
	text, err := json.Marshal(message)
	if err != nil {
		b.Fatal(err)
	}
	_, _ = b.to.Write(append(text, 0)) // if the browser has gone, ask finds out when it waits for the answer
}

func (b *Browser) call(method string, params, result any) {
	b.Helper()
	if err := b.try(method, params, result); err != nil {
		b.Fatal(err)
	}
}

// try is ask, but fails the test if the browser has gone.
func (b *Browser) try(method string, params, result any) error {
	b.Helper()
	err := b.ask(method, params, result)
	if errors.Is(err, errGone) {
		b.gone(err)
	}
	return err
}

var errGone = errors.New("the browser has gone")

// ask sends a command and waits for the answer. It returns an error if the browser refuses the command, and one that wraps
// errGone if the browser has ended. Events and answers to other commands are ignored.
func (b *Browser) ask(method string, params, result any) error {
	b.Helper()
	b.send(method, params)
	for {
		text, err := b.from.ReadBytes(0)
		if err != nil {
			return fmt.Errorf("%w: %s: %w", errGone, method, err)
		}
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(text[:len(text)-1], &answer); err != nil { //nolint:musttag // the names are the same without their case
			b.Fatal(err)
		}
		switch {
		case answer.ID != b.id:
			continue
		case answer.Error != nil:
			return fmt.Errorf("%s: %s", method, answer.Error.Message)
		case result != nil:
			return json.Unmarshal(answer.Result, result)
		}
		return nil
	}
}
