package jsonpolicy_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/config"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/jsonpolicy"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

type policy struct{ limit, queue int }

type written struct {
	Limit *int `json:"limit"`
	Queue *int `json:"queue"`
}

func (p *policy) written() *written { return &written{&p.limit, &p.queue} }

func (p *policy) wrong() string {
	if p.limit < 0 {
		return "limit is below zero"
	}
	return ""
}

// A policy changes only if the whole text is right.
func TestRead(t *testing.T) {
	for text, want := range map[string]policy{
		`{"limit":3}`:             {3, 2},
		`{"limit":3,"queue":4}`:   {3, 4},
		`{}`:                      {1, 2},
		`{"queue":4,"limit":-1}`:  {1, 2},
		`{"queue":4,"limits":5}`:  {1, 2},
		`{"queue":4,"limit":"x"}`: {1, 2},
	} {
		p := policy{1, 2}
		err := jsonpolicy.Read([]byte(text), &p, (*policy).written, (*policy).wrong)
		if p != want {
			t.Errorf("%s: got %v, want %v", text, p, want)
		}
		if _, ok := fault.AsType[*config.Error](err); ok != (want == policy{1, 2} && text != `{}`) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
