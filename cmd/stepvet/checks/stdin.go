package checks

import (
	"go/ast"
	"go/types"
	"strings"
)

// readers names functions that read from an argument.
var readers = set("io.ReadAll", "io.ReadFull", "io.ReadAtLeast", "io.Copy", "io.CopyN", "io.CopyBuffer",
	"fmt.Fscan", "fmt.Fscanf", "fmt.Fscanln")

// buffers names functions whose result reads from their argument.
var buffers = set("bufio.NewReader", "bufio.NewReaderSize", "bufio.NewScanner")

// readsStdin reports whether call, of the function with the given name, reads from os.Stdin, which blocks.
func readsStdin(info *types.Info, known values, call *ast.CallExpr, name string) bool {
	if readers[name] {
		for _, arg := range call.Args {
			if isStdin(info, known, arg) {
				return true
			}
		}
		return false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	method, ok := strings.CutPrefix(name, "(*bufio.Reader).")
	if ok && (strings.HasPrefix(method, "Read") || method == "Peek" || method == "Discard" || method == "WriteTo") ||
		name == "(*bufio.Scanner).Scan" || name == "(*os.File).Read" || name == "(*os.File).WriteTo" {
		return isStdin(info, known, sel.X)
	}
	return false
}

// isStdin reports whether e is os.Stdin or reads from it.
func isStdin(info *types.Info, known values, e ast.Expr) bool {
	for range 10 { // bounded, because a reader may be made of itself: var r io.Reader; r = bufio.NewReader(r)
		switch of := known.of(info, e).(type) {
		case *ast.SelectorExpr:
			v, ok := info.Uses[of.Sel].(*types.Var)
			return ok && v.Name() == "Stdin" && v.Pkg() != nil && v.Pkg().Path() == "os"
		case *ast.CallExpr:
			if _, name := callee(info, of); !buffers[name] {
				return false
			}
			e = of.Args[0]
		default:
			return false
		}
	}
	return false
}
