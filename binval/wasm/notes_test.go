package wasm

import (
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
)

func digit(n int32) []byte {
	return concat(number(4096), number(4096), loadWord, number(10), []byte{0x6c}, number(n), []byte{0x6a}, storeWord)
}

// noteOf loads the address of the notes.
var noteOf = concat(as, []byte{0x28, 2, peerNotes})

// digitsGuest returns a guest whose step notes executes body, and whose steps one to four append their digit; five gives all digits.
func digitsGuest(body ...[]byte) asm {
	a := asm{
		imports: []string{
			"futoin.add/4", "futoin.parallel/3>", "futoin.success/2", "futoin.stateVariable/5>", "futoin.setCancel/3", "futoin.waitExternal/1",
			"futoin.setTimeout/2", "futoin.handle_error/3", "futoin.rootId/1>",
		},
		table: []string{"one", "two", "three", "four", "five", "adds", "fails", "handles"}, data: "name\x00Code\x00",
		code: []defined{
			{"one", 3, false, digit(1)}, {"two", 3, false, digit(2)}, {"three", 3, false, digit(3)}, {"four", 3, false, digit(4)},
			{"five", 3, false, concat( // the type is at 2048
				number(2048), number(int32(binval.Int32)), storeWord, number(3072), number(2048), storeWord,
				number(3080), number(4096), loadWord, storeWord, as, number(3072), invoke("success"))},
			{"adds", 1, true, concat(adds(2), number(1))}, // local 0 is the argument of allocate
			{"fails", 3, false, concat(as, number(1029), number(0), invoke("handle_error"))},
			{"handles", 3, false, concat(adds(1), adds(2), adds(5))},
			{"notes", 3, false, concat(body...)},
		},
	}
	return a
}

func adds(function int32) []byte { return addsTo(as, function) }

func addsTo(steps []byte, function int32) []byte {
	return concat(steps, number(0), number(function), number(0), invoke("add"))
}

func wantDigits(t *testing.T, name string, guest asm, want int32) {
	t.Helper()
	for _, trusted := range []bool{false, true} {
		m := loaded(t, guest.step(), Limits{Trusted: trusted})
		out, reported, err := outcome(t, Step[struct{}, int32](m, "notes"), struct{}{})
		if out != want || err != nil || len(reported) > 0 {
			t.Errorf("%s, trusted %v: %d, %v, %v", name, trusted, out, err, reported)
		}
	}
}

// Calls that are noted and calls that aren't take effect in the order in which the guest made them.
func TestNotesKeepTheOrder(t *testing.T) {
	branches := concat(as, number(0), number(0), invoke("parallel"), []byte{0x24, 0})
	branch := []byte{0x23, 0}
	var many [][]byte
	for range 2*mostNotes + 3 {
		many = append(many, adds(1))
	}
	ones := int32(0)
	for range 2*mostNotes + 3 {
		ones = ones*10 + 1
	}
	for _, c := range []struct {
		name string
		want int32
		body []byte
	}{
		{"one after another", 1234, concat(adds(1), adds(2), adds(3), adds(4), adds(5))},
		{"more than there is room for", ones*10 + 2, concat(concat(many...), adds(2), adds(5))},
		{"branches between", 1324, concat(adds(1), branches, addsTo(branch, 3), adds(2), adds(4), adds(5))},
		{"a call that gives something between", 12, concat(adds(1), as, invoke("rootId"), drop, adds(2), adds(5))},
		{"a callback of the host between", 123, concat(adds(1), as, as, number(1024), number(6), number(0), invoke("stateVariable"), drop, adds(3), adds(5))},
		{"memory grows between", 12, concat(adds(1), number(1), grow, drop, adds(2), adds(5))},
		{"by its table", 12, concat(adds(1), as, number(0), number(2), number(0), number(9), []byte{0x11, 4, 0}, adds(5))},
		{"in a handler", 12, concat(as, number(0), number(7), number(8), invoke("add"))},
		{"a limit between", 12, concat(adds(1), as, number(1000), invoke("setTimeout"), adds(2), adds(5))},
	} {
		guest := digitsGuest(c.body)
		guest.table = append(guest.table, "add")
		wantDigits(t, c.name, guest, c.want)
	}
}

// Up to mostNotes calls are noted, made by name or through the table. A call that isn't noted leaves no notes behind it.
func TestNotesAreTaken(t *testing.T) {
	count := concat(number(4096), noteOf, []byte{0x28, 2, noteCount}, storeWord)
	through := concat(as, number(0), number(1), number(0), number(9), []byte{0x11, 4, 0})
	var many [][]byte
	for range mostNotes + 3 {
		many = append(many, adds(1))
	}
	for _, c := range []struct {
		name string
		want int32
		body []byte
	}{
		{"none", 0, count},
		{"two", 2, concat(adds(6), through, count)},
		{"the ninth is a call", 2, concat(concat(many...), count)},
		{"a call of another function", 0, concat(adds(1), as, invoke("rootId"), drop, count)},
		{"every function", 4, concat(adds(1), as, invoke("waitExternal"), as, number(0), number(1), invoke("setCancel"), as, number(9), invoke("setTimeout"), count)},
	} {
		guest := digitsGuest(c.body, adds(5))
		guest.table = append(guest.table, "add")
		guest.code[0].body, guest.code[5] = nil, defined{"adds", 3, false, nil} // they do nothing
		m := loaded(t, guest.step(), Limits{})
		noted, reported, err := outcome(t, Step[struct{}, int32](m, "notes"), struct{}{})
		if noted != c.want || err != nil || len(reported) > 0 {
			t.Errorf("%s: %d, %v, %v", c.name, noted, err, reported)
		}
	}
}

func write(offset byte, value []byte) []byte {
	return concat(noteOf, value, []byte{0x36, 2}, uleb(uint64(offset)))
}

// note writes note number k, of the given function of notable, with b as the second of the three arguments.
func note(k byte, function, b int32) []byte {
	at := noteFirst + k*noteSize
	return concat(write(at, number(function)), write(at+4, number(0)), write(at+8, number(b)), write(at+12, number(0)))
}

// A guest that writes to the notes itself makes calls by its step, or its step fails.
func TestForgedNotes(t *testing.T) {
	other := concat(as, number(0), number(0), invoke("parallel"), []byte{0x24, 0})
	for _, c := range []struct {
		name string
		body []byte
		want int32
		code fault.Code
		info string
	}{
		{"a step", concat(note(0, 0, 3), write(noteCount, number(1)), adds(5)), 3, "", ""},
		{"behind the end", concat(adds(1), note(1, 0, 3), adds(5)), 1, "", ""},
		{"another step than noted", concat(adds(1), note(0, 0, 4), adds(5)), 4, "", ""},
		{"no function", concat(note(0, 99, 0), write(noteCount, number(1))), 0, fault.InternalError, "memory of the host"},
		{"no function, before a call", concat(note(0, -1, 0), write(noteCount, number(1)), as, invoke("rootId"), drop), 0, fault.InternalError, "memory of the host"},
		{"too many", write(noteCount, number(mostNotes+1)), 0, fault.InternalError, "memory of the host"},
		{"as many as can be", write(noteCount, number(-1)), 0, fault.InternalError, "memory of the host"},
		{"without code", concat(note(0, 0, 0), write(noteCount, number(1))), 0, fault.InternalError, "without code"},
		{"a function that there isn't", concat(note(0, 0, 9999), write(noteCount, number(1))), 0, fault.InternalError, "invalid table access"},
		{"of another owner", concat(write(noteOwner, number(4000)), adds(1), adds(5)), 1, "", ""},
		{"of an owner that is no step", concat(write(noteOwner, number(4000)), addsTo(number(4000), 1), adds(5)), 0, fault.InternalError, "isn't one of steps"},
		{"of the branches", concat(other, write(noteOwner, []byte{0x23, 0}), addsTo([]byte{0x23, 0}, 1), write(noteOwner, as), adds(5)), 1, "", ""},
		{"elsewhere", concat(as, number(20000), []byte{0x36, 2, peerNotes}, number(20000), as, storeWord, adds(1), adds(5)), 0, fault.InvalidRequest, "kind"},
		{"outside", concat(as, number(-4), []byte{0x36, 2, peerNotes}, adds(1)), 0, fault.InternalError, "out of bounds"},
		{"at the end of its pointer", concat(as, number(65532), []byte{0x36, 2, peerNotes}, number(65532), as, storeWord, adds(1)), 0, fault.InternalError, "out of bounds"},
	} {
		m := loaded(t, digitsGuest(c.body).step(), Limits{Reuse: true})
		out, reported, err := outcome(t, Step[struct{}, int32](m, "notes"), struct{}{})
		if out != c.want || c.code == "" && err != nil || c.code != "" && (fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.info)) || len(reported) > 0 {
			t.Errorf("%s: %d, %v, %v", c.name, out, err, reported)
		}
	}
}

// Notes that code other than a step's writes are ignored.
func TestNotesOfOtherCode(t *testing.T) {
	forges := concat(note(0, 0, 3), write(noteCount, number(1)))
	t.Run("allocate", func(t *testing.T) {
		guest := digitsGuest(adds(1), as, as, number(1024), number(6), number(0), invoke("stateVariable"), drop, adds(2), adds(5))
		guest.code[5].body = concat(forges, number(1))
		wantDigits(t, "allocate", guest, 12)
	})
	t.Run("hook", func(t *testing.T) {
		guest := digitsGuest(as, number(0), number(6), invoke("setCancel"))
		guest.code[5] = defined{"adds", 2, false, concat(forges, adds(3))}
		m := loaded(t, guest.step(), Limits{})
		_, reported, err := outcome(t, flow.Timeout(time.Second, unitStep(m, "notes")), struct{}{})
		if fault.CodeOf(err) != fault.Timeout || len(reported) > 0 {
			t.Error(err, reported)
		}
	})
}

// The allocator of a guest may give the host any place in its memory for the notes, or NULL. Load refuses a place outside.
func TestPlaceOfNotes(t *testing.T) {
	for _, c := range []struct {
		at   int32
		want fault.Code
	}{
		{0, ""}, {4, ""}, {1024, ""}, {65535 - notesSize, ""}, {65536 - notesSize, ""},
		{65537 - notesSize, fault.InvalidRequest}, {65536, fault.InvalidRequest}, {-1, fault.InvalidRequest}, {-notesSize, fault.InvalidRequest},
	} {
		guest := digitsGuest(adds(1), adds(2), adds(5))
		call := futoinCall
		call.body = concat(branch(opAlloc, concat(local(2), number(notesSize), []byte{0x46, 0x04, 0x40}, number(c.at), []byte{0x0f, 0x0b})), call.body)
		guest.call = &call
		m, err := Load(t.Context(), guest.step(), Limits{})
		if fault.CodeOf(err) != c.want || err != nil && !strings.Contains(err.Error(), "the allocator") {
			t.Errorf("at %d: %v", c.at, err)
		}
		if err != nil {
			continue
		}
		if out, _, err := outcome(t, Step[struct{}, int32](m, "notes"), struct{}{}); out != 12 || err != nil {
			t.Errorf("at %d: %d, %v", c.at, out, err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}
