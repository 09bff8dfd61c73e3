package checks

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// Blocking reports what may block in functions that run on the loop, such as bodies of step.Map, step.Func and step.New, handlers and
// hooks. It looks into functions of the same package that they call. There is no fix: such code belongs in step.Await, a pause in
// step.Delay.
//
// A lock is reported if the function that takes it leaves it locked. It is also reported if some code of the package blocks while
// holding the lock, because then the loop waits for that code. With the flag locks every lock is reported.
var Blocking = honourMarkers(&analysis.Analyzer{
	Name: "blocking",
	Doc: `report code that blocks the event loop

Bodies of step.Map, step.Func and step.New, handlers and hooks run on an event
loop. While one of them sleeps, waits for a channel or a lock, or talks to a
network or a database, no other run on the loop goes on. Use step.Await for such
code, step.Delay for a pause, step.Wait for something that calls back.`,
	URL:   guide,
	Flags: blockingFlags(),
	Run:   blocking,
})

// everyLock is the flag locks of [Blocking].
var everyLock bool

func blockingFlags() flag.FlagSet {
	flags := flag.NewFlagSet("blocking", flag.ContinueOnError)
	flags.BoolVar(&everyLock, "locks", false, "report each Lock of a sync.Mutex, also if it is held for a moment only")
	return *flags
}

func blocking(pass *analysis.Pass) (any, error) {
	look := newBlockers(pass)
	for _, b := range bodies(pass) {
		if b.executor != onLoop {
			continue
		}
		for _, found := range look.in(b.block) {
			report(pass, found.at.Pos(), fmt.Sprintf("%s blocks the loop: a function given to %s runs on it", found.what, b.to))
		}
	}
	return nil, nil
}

type blocker struct {
	at   ast.Node
	what string // "time.Sleep"; "f (time.Sleep)" for a call of f
}

// blockers finds what blocks in the functions of a package.
type blockers struct {
	info     *types.Info
	values   values
	declared map[*types.Func]*ast.FuncDecl
	room     map[*types.Var]bool    // for each variable of a channel type: whether all channels assigned to it are made with a buffer
	slow     map[*types.Var]bool    // locks that are held while something blocks
	known    map[*types.Func]string // what blocks in a function
	asked    map[*types.Func]bool   // functions that were looked at since the last round of learn began
	opened   map[*ast.FuncLit]bool  // function literals that indirect is looking at
}

func newBlockers(pass *analysis.Pass) *blockers {
	l := &blockers{
		info: pass.TypesInfo, values: valuesOf(pass), declared: declarations(pass), opened: map[*ast.FuncLit]bool{},
		room: map[*types.Var]bool{}, slow: map[*types.Var]bool{}, known: map[*types.Func]string{}, asked: map[*types.Func]bool{},
	}
	for _, file := range pass.Files {
		ast.Inspect(file, l.makes)
	}
	l.learn(pass)
	return l
}

// learn fills known and slow. They depend on each other, and so do functions that call each other. Therefore learn looks at all functions
// again and again, until it learns nothing new.
func (l *blockers) learn(pass *analysis.Pass) {
	for before := -1; before < len(l.known)+len(l.slow); {
		before = len(l.known) + len(l.slow)
		clear(l.asked)
		for fn, d := range functions(pass) {
			l.function(fn)
			l.holds(d.Body)
		}
	}
}

// function names what blocks in a function of this package, or returns "".
func (l *blockers) function(fn *types.Func) string {
	d := l.declared[fn]
	if d == nil || l.known[fn] != "" || l.asked[fn] {
		return l.known[fn]
	}
	l.asked[fn] = true
	if found := l.in(d.Body); len(found) > 0 {
		l.known[fn] = found[0].what
	}
	return l.known[fn]
}

// in returns the operations in a piece of code that may block. Function literals count where they are called in place. Of a go
// statement only the arguments count.
func (l *blockers) in(block ast.Node) []blocker {
	var found []blocker
	add := func(at ast.Node, what string) { found = append(found, blocker{at, what}) }
	called := map[*ast.FuncLit]bool{}
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			for _, arg := range n.Call.Args {
				ast.Inspect(arg, visit)
			}
			return false
		case *ast.FuncLit:
			return called[n]
		case *ast.SelectStmt:
			if !l.goesOn(n, block) {
				add(n, "select without default")
			}
			visitCases(n, visit)
			return false
		case *ast.SendStmt:
			if v := variable(l.info, n.Chan); v == nil || !l.room[v] {
				add(n, "sending to a channel")
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW && !l.ready(n.X, block) {
				add(n, "receiving from a channel")
			}
		case *ast.RangeStmt:
			if _, ok := l.info.TypeOf(n.X).Underlying().(*types.Chan); ok && !l.ready(n.X, block) {
				add(n, "receiving from a channel")
			}
		case *ast.CallExpr:
			if lit, ok := ast.Unparen(n.Fun).(*ast.FuncLit); ok {
				called[lit] = true
			}
			if what := l.call(n, block); what != "" {
				add(n, what)
			}
		}
		return true
	}
	ast.Inspect(block, visit)
	return found
}

func visitCases(s *ast.SelectStmt, visit func(ast.Node) bool) {
	for _, c := range s.Body.List {
		for _, then := range c.(*ast.CommClause).Body {
			ast.Inspect(then, visit)
		}
	}
}

// goesOn reports whether a select has a default, or a receive that doesn't block.
func (l *blockers) goesOn(s *ast.SelectStmt, block ast.Node) bool {
	for _, c := range s.Body.List {
		switch comm := c.(*ast.CommClause).Comm.(type) {
		case nil:
			return true
		case *ast.ExprStmt:
			if l.receives(comm.X, block) {
				return true
			}
		case *ast.AssignStmt:
			if l.receives(comm.Rhs[0], block) {
				return true
			}
		}
	}
	return false
}

func (l *blockers) receives(e ast.Expr, block ast.Node) bool {
	receive, ok := ast.Unparen(e).(*ast.UnaryExpr)
	return ok && receive.Op == token.ARROW && l.ready(receive.X, block)
}

// call returns why a call in block may block, or "".
func (l *blockers) call(call *ast.CallExpr, block ast.Node) string {
	fn, name := callee(l.info, call)
	if fn == nil {
		return l.indirect(call)
	}
	switch {
	case blocks[name]:
		return name
	case readsStdin(l.info, l.values, call, name):
		return name + " of os.Stdin"
	case locking[name] != "":
		lock := receiver(l.info, call)
		if everyLock || l.slow[lock] || lock != nil && !l.unlocks(block, lock, locking[name]) {
			return name
		}
		return ""
	}
	if what := l.function(fn); what != "" {
		return fmt.Sprintf("%s (%s)", fn.Name(), what)
	}
	return ""
}

// indirect is call for a variable that holds a function.
func (l *blockers) indirect(call *ast.CallExpr) string {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return ""
	}
	switch to := l.values.of(l.info, id).(type) {
	case *ast.FuncLit:
		if l.opened[to] { // the literal calls itself
			return ""
		}
		l.opened[to] = true
		defer delete(l.opened, to)
		if found := l.in(to.Body); len(found) > 0 {
			return fmt.Sprintf("%s (%s)", id.Name, found[0].what)
		}
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr, *ast.Ident:
		fn, name := named(l.info, to)
		switch {
		case fn == nil:
		case blocks[name]:
			return fmt.Sprintf("%s (%s)", id.Name, name)
		default:
			if what := l.function(fn); what != "" {
				return fmt.Sprintf("%s (%s)", id.Name, what)
			}
		}
	}
	return ""
}

// makes records, for each channel variable that n assigns to, whether all channels seen so far were made with a buffer. A channel
// that is one of several results of a function, or an element of a range, counts as made without one.
func (l *blockers) makes(n ast.Node) bool {
	learn := func(to, value ast.Expr) { // value is nil if it isn't known
		v := variable(l.info, to)
		if v == nil {
			return
		}
		if _, ok := v.Type().Underlying().(*types.Chan); !ok {
			return
		}
		call, ok := ast.Unparen(value).(*ast.CallExpr)
		made := ok && len(call.Args) == 2 && builtin(l.info, call) == "make"
		if made {
			size := l.info.Types[call.Args[1]].Value
			made = size == nil || size.String() != "0"
		}
		if before, ok := l.room[v]; ok {
			made = made && before
		}
		l.room[v] = made
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, to := range n.Lhs {
			if len(n.Lhs) == len(n.Rhs) {
				learn(to, n.Rhs[i])
			} else {
				learn(to, nil)
			}
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			switch {
			case len(n.Values) == len(n.Names):
				learn(name, n.Values[i])
			case len(n.Values) > 0:
				learn(name, nil)
			}
		}
	case *ast.RangeStmt:
		learn(n.Key, nil)
		learn(n.Value, nil)
	case *ast.KeyValueExpr:
		learn(n.Key, n.Value)
	}
	return true
}
