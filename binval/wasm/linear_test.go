package wasm

import (
	"bytes"
	"errors"
	"runtime"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
)

// growingGuest returns a guest whose start function grows the memory to three pages and writes to the last one. Its step fails with the code
// that is there, in which it then replaces the first letter.
func growingGuest() []byte {
	return asm{
		imports: []string{"futoin.handle_error/3"}, data: "Fresh\x00\x00\x00", start: "begin",
		code: []defined{{"begin", 0, false, concat(
			number(2), grow, drop, number(2*page), number(1024), loadWord, storeWord, number(2*page+4), number(1028), loadWord, storeWord)}},
	}.step(as, number(2*page), number(0), invoke("handle_error"), number(2*page), number('D'), []byte{0x3a, 0, 0})
}

// Instances may have a copy of the first memory or share it. They don't see what others write.
func TestInstancesBeginAlike(t *testing.T) {
	m := loaded(t, growingGuest(), Limits{Ready: 10})
	var all []*instance
	for range 5 {
		i, err := m.newInstance(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer i.close()
		all = append(all, i)
	}
	first := m.idle[0].linear.whole
	for k, i := range all {
		if len(i.linear.whole) != 3*page || !bytes.Equal(i.linear.whole, first) {
			t.Errorf("instance %d has another memory", k)
		}
		if k > 0 && runtime.GOOS == "linux" && len(i.linear.mapped) != 3*page {
			t.Errorf("instance %d has a mapping of %d bytes", k, len(i.linear.mapped))
		}
	}
	clear(all[4].linear.whole)
	for k, i := range all[:4] {
		if !bytes.Equal(i.linear.whole, first) {
			t.Errorf("instance %d sees what the last one has written", k)
		}
	}
	for run := range 6 {
		if _, _, err := outcome(t, unitStep(m, "run"), struct{}{}); fault.CodeOf(err) != "Fresh" {
			t.Errorf("run %d: %v", run, err)
		}
	}
}

type brittleWriter struct{ calls int }

func (w *brittleWriter) Write(b []byte) (int, error) {
	if w.calls++; w.calls == 4 {
		return 0, errors.New("full")
	}
	return len(b), nil
}

// The start function of the fourth instance gets another result, so that instance begins with a memory of its own.
func TestInstanceBeginsOtherwise(t *testing.T) {
	binary := asm{
		imports: []string{"wasi_snapshot_preview1.fd_write/4>", "futoin.handle_error/3"}, start: "begin",
		data: "\x08\x04\x00\x00\x01\x00\x00\x00" + "text\x00\x00\x00\x00" + "Same\x00\x00\x00\x00" + "Other\x00",
		code: []defined{{"begin", 0, false, concat(
			number(4096), number(1), number(1024), number(1), number(4100), invoke("fd_write"), storeWord)}},
	}.step(as, number(1048), number(1040), number(4096), loadWord, []byte{0x1b}, number(0), invoke("handle_error"))
	m := loaded(t, binary, Limits{WASI: Basic(), Output: new(brittleWriter)})
	for run, want := range []fault.Code{"Same", "Same", "Same", "Other", "Same"} {
		if _, _, err := outcome(t, unitStep(m, "run"), struct{}{}); fault.CodeOf(err) != want {
			t.Errorf("run %d: %v", run, err)
		}
	}
}

// Memories are Go's when there are mostMaps mappings.
func TestMapsHaveALimit(t *testing.T) {
	m := loaded(t, growingGuest(), Limits{})
	whole := m.idle[0].linear.whole
	others := maps.Swap(mostMaps)
	defer maps.Store(others)
	for run := range 4 {
		i, err := m.newInstance(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if i.linear.mapped != nil || !bytes.Equal(i.linear.whole, whole) {
			t.Errorf("instance %d: mapped, or another memory", run)
		}
		i.close()
	}
	if n := maps.Load(); n != mostMaps {
		t.Errorf("%d mappings too many", n-mostMaps)
	}
}

// The memory of a module that isn't closed is given back when the module is garbage.
func TestForgottenModule(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("memories are Go's on this system")
	}
	before := maps.Load()
	func() {
		m, err := Load(t.Context(), growingGuest(), Limits{})
		if err != nil || maps.Load() != before+1 {
			t.Fatal(err, maps.Load())
		}
		if _, err := m.newInstance(t.Context()); err != nil {
			t.Fatal(err)
		}
	}()
	for maps.Load() != before { // until the test's timeout
		runtime.GC()
	}
}

// The guest uses its memory up to the last byte. It doesn't get the page that would make 4 GiB.
func TestWholeMemory(t *testing.T) {
	room := mmap(mostPages * page)
	if room == nil {
		t.Skip("the system maps no such memory, of which only some pages are touched")
	}
	munmap(room)
	last := int32(-page - 4)
	guest := asm{pages: mostPages, imports: []string{"futoin.handle_error/3"}, data: "First\x00"}
	use := concat(number(last), number(1024), loadWord, storeWord, number(last+3), number(0), []byte{0x3a, 0, 0}, // "Fir\x00"
		as, number(1024), number(last), invoke("handle_error"))
	for name, body := range map[string][]byte{"as it begins": use, "after a try to grow": concat(number(1), grow, drop, use)} {
		m := loaded(t, guest.step(body), Limits{Memory: 4 << 30})
		_, _, err := outcome(t, unitStep(m, "run"), struct{}{})
		var f *fault.Error
		if fault.CodeOf(err) != "First" || !errors.As(err, &f) || f.Info != "Fir" {
			t.Error(name, err)
		}
	}
	guest.pages++
	if _, err := Load(t.Context(), guest.step(use), Limits{Memory: 4 << 30}); fault.CodeOf(err) != fault.InvalidRequest {
		t.Error(err)
	}
}
