package play

import (
	"strings"
	"testing"
)

// player makes moves by their names.
type player struct {
	*testing.T

	moves []Move
	now   View
}

func newPlayer(t *testing.T) *player {
	p := &player{T: t}
	p.look()
	return p
}

func (p *player) look() {
	p.Helper()
	v, err := After(p.moves)
	if err != nil {
		p.Fatal(err)
	}
	p.now = v
}

// do makes the move whose Says is given, after steps of the loop if the move isn't possible yet.
func (p *player) do(says string) {
	p.Helper()
	for range 100 {
		for _, m := range p.now.Moves {
			if m.Says == says {
				p.moves = append(p.moves, m)
				p.look()
				return
			}
		}
		p.step()
	}
	p.Fatalf("nobody offers %q", says)
}

func (p *player) step() {
	p.Helper()
	if len(p.now.Moves) == 0 || p.now.Moves[0].Do != "step" {
		p.Fatalf("there is no step: %+v", p.now)
	}
	p.moves = append(p.moves, p.now.Moves[0])
	p.look()
}

func (p *player) end() string {
	p.Helper()
	for range 100 {
		if p.now.Result != "" {
			return p.now.Result
		}
		p.step()
	}
	p.Fatal("the run doesn't end")
	return ""
}

func (p *player) said(text string) bool {
	for _, l := range p.now.Log {
		if strings.Contains(l.Text, text) {
			return true
		}
	}
	return false
}

func TestAllIsAnswered(t *testing.T) {
	p := newPlayer(t)
	for _, call := range []string{"slowAir", "book", "charge"} {
		p.do(call + " answers")
	}
	if got := p.end(); got != "seat 12A for 40, paid" || p.now.At != "0s" || p.said("quickAir") {
		t.Errorf("%q at %s: %v", got, p.now.At, p.now.Log)
	}
}

// Without an answer of the bank its limit passes twice, and the seat is given back.
func TestTheBankIsSilent(t *testing.T) {
	p := newPlayer(t)
	p.do("quickAir answers")
	p.do("book answers")
	p.do("giveBack answers")
	if got := p.end(); !strings.Contains(got, "Timeout") || p.now.At != "150ms" {
		t.Errorf("%q at %s", got, p.now.At)
	}
}

func TestCancel(t *testing.T) {
	p := newPlayer(t)
	p.do("slowAir answers")
	p.do("book answers")
	for !p.said("step start charge") {
		p.step()
	}
	p.do("cancel the run")
	p.do("giveBack answers")
	if got := p.end(); !strings.Contains(got, "Cancelled") || len(p.now.Moves) != 0 {
		t.Errorf("%q, %v", got, p.now.Moves)
	}
}

// If both airlines have been asked, the player chooses which answers first, and so the fare.
func TestTheOrderIsChosen(t *testing.T) {
	for first, fare := range map[string]string{"slowAir": "for 40,", "quickAir": "for 80,"} {
		p := newPlayer(t)
		for !p.said("suspended quickAir") {
			p.step()
		}
		other := map[string]string{"slowAir": "quickAir", "quickAir": "slowAir"}[first]
		for _, call := range []string{first, other, "book", "charge"} {
			p.do(call + " answers")
		}
		if got := p.end(); !strings.Contains(got, fare) {
			t.Errorf("%s is first: %q", first, got)
		}
	}
}

// A step does what it says.
func TestStepsDoWhatTheySay(t *testing.T) {
	p := newPlayer(t)
	for p.now.Result == "" {
		m, known := p.now.Moves[0], len(p.now.Log)
		p.moves = append(p.moves, m)
		p.look()
		for _, l := range p.now.Log[known:] {
			if m.Do == "step" && len(p.now.Log)-known <= 3 && !strings.Contains(m.Says, l.Text) {
				t.Errorf("%q does %q", m.Says, l.Text)
			}
		}
	}
}

func TestMovesThatAreNotThere(t *testing.T) {
	for _, m := range []Move{{Do: "answer", Call: "charge"}, {Do: "fly"}, {Do: "fail"}} {
		if _, err := After([]Move{m}); err == nil {
			t.Errorf("%+v: no error", m)
		}
	}
}

func TestTree(t *testing.T) {
	if tree := Tree(); tree.Holds[0].Kind != "saga" {
		t.Errorf("the plan is %+v", tree)
	}
}
