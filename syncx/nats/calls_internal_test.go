package nats

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// unanswered is a bucket whose Watch blocks until the test closes answer, and then fails.
type unanswered struct {
	jetstream.KeyValue
	asked, answer chan struct{}
}

func (u unanswered) Watch(context.Context, string, ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	close(u.asked)
	<-u.answer
	return nil, errors.New("no answer")
}

// A guard is made on a loop, which doesn't wait for the server.
func TestLineIsMadeWhileNobodyAnswers(t *testing.T) {
	kv := unanswered{asked: make(chan struct{}), answer: make(chan struct{})}
	c := newCalls(kv, time.Hour)
	expected := make(chan error)
	go func() {
		_, err := c.expect("a")
		expected <- err
	}()
	<-kv.asked
	made := make(chan struct{})
	go func() {
		defer close(made)
		newLine(c, "m", 1)
	}()
	select {
	case <-made:
	case <-time.After(10 * time.Second):
		t.Error("it waits")
	}
	close(kv.answer)
	if err := <-expected; err == nil {
		t.Error("nobody listens, and no error")
	}
	<-made
}
