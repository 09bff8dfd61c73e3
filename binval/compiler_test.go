package binval

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

const layoutSource = `
typedef struct value value;
typedef struct { const unsigned char flags; void (*const cleanup)(value *); } type;
struct value {
    const type *type;
    union { const void *p; unsigned char u8; unsigned long long u64; float f; double d; };
    void *custom_data;
    unsigned length;
};
typedef struct { value args[4]; } args;
#define IS(number, c) _Static_assert((number) == (c), #c)
IS(%d, sizeof(type));
IS(%d, __builtin_offsetof(type, cleanup));
IS(%d, sizeof(value));
IS(%d, __builtin_offsetof(value, u64));
IS(%d, __builtin_offsetof(value, custom_data));
IS(%d, __builtin_offsetof(value, length));
IS(%d, sizeof(args));
`

// B6: also where Go is built without cgo, as the tests on 386 are.
func TestLayoutOfCompiler(t *testing.T) {
	flags, known := map[string]string{"amd64": "-m64", "386": "-m32"}[runtime.GOARCH]
	cc, err := exec.LookPath("cc")
	if err != nil || !known || runtime.GOOS != "linux" {
		t.Skip("no C compiler that is known to be for this machine:", err)
	}
	source := fmt.Sprintf(layoutSource, unsafe.Sizeof(Type{}), unsafe.Offsetof(Type{}.cleanup), unsafe.Sizeof(Value{}),
		unsafe.Offsetof(Value{}.union), unsafe.Offsetof(Value{}.custom), unsafe.Offsetof(Value{}.length), unsafe.Sizeof(Args{}))
	if out, err := compile(t, cc, flags, source); err != nil {
		t.Error(err, out)
	}
	longer := strings.Replace(source, "unsigned length;", "unsigned long long more; unsigned length;", 1)
	if _, err := compile(t, cc, flags, longer); err == nil {
		t.Error("the compiler checks nothing")
	}
}

func compile(t *testing.T, cc, machine, source string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), cc, machine, "-std=c11", "-fsyntax-only", "-x", "c", "-")
	cmd.Stdin = strings.NewReader(source)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
