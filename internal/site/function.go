package site

import (
	"path"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// Called returns the name of the step in errors, traces and pictures: the name
// that the user gave it, or else the result of Func.
func (i *Info) Called() string {
	if i.Name != "" {
		return i.Name
	}
	return i.Func()
}

// Func names the function of the program that the step calls: "parse", "(*Store).Get", or "strconv.Atoi" if the function
// belongs to another package than the one that built the step. A function literal is named after the function around it and the
// line of the literal, "Orders:41", or after its file if it is the value of a package variable, "orders.go:41". Func returns ""
// for a step that calls no function of the program.
//
// The first call looks the function up.
func (i *Info) Func() string {
	if i.Code == 0 {
		return ""
	}
	if found := i.function.Load(); found != nil {
		return *found
	}
	name := i.find()
	i.function.Store(&name)
	return name
}

func (i *Info) find() string {
	// The last frame is the function itself. Those before it are functions that the
	// compiler has inlined at its beginning.
	frames := runtime.CallersFrames([]uintptr{i.Code + 1})
	fr, more := frames.Next()
	for more {
		fr, more = frames.Next()
	}
	site := i.Site()
	if ours(&fr) || strings.HasPrefix(fr.Function, "reflect.") {
		return "" // a function of the library, or one that package reflect has made
	}
	f, built := parse(fr.Function), parse(site.Func)
	switch {
	case !f.closure && f.pkg == built.pkg:
		return f.name
	case !f.closure:
		return f.base() + "." + f.name
	case fr.File == site.File && f.last() == built.last():
		f.name, fr.Line = built.name, site.Line // the name and the line of the build site
	default:
		f.name = f.last() // the names before it may be those of functions that it was inlined into
	}
	if f.name == "init" || f.name == "" {
		f.name = path.Base(fr.File)
	}
	return f.name + ":" + strconv.Itoa(fr.Line)
}

type function struct {
	pkg     string
	name    string // without the package: "parse", "(*Store).Get"; for a closure, the name of the function around it
	closure bool
}

// closures matches what the compiler appends to the name of a function for the functions inside of it: function literals,
// bodies of loops over iterators, and calls of go and defer.
var closures = regexp.MustCompile(`(\.(func)?\d+|\.(gowrap|deferwrap)\d+|-range\d+)+$`)

// parse takes apart the name that the runtime has for a function.
func parse(full string) function {
	full = strings.TrimSuffix(strings.ReplaceAll(full, "[...]", ""), "-fm")
	slash := strings.LastIndexByte(full, '/') + 1
	pkg, name, _ := strings.Cut(full[slash:], ".")
	around := closures.ReplaceAllString(name, "")
	return function{full[:slash] + strings.ReplaceAll(pkg, "%2e", "."), around, around != name}
}

// base returns the name that source usually has for the package: "shop" for "example.com/shop/v2".
func (f function) base() string {
	dir, base := path.Split(f.pkg)
	if major.MatchString(base) && dir != "" {
		return path.Base(dir)
	}
	return base
}

var major = regexp.MustCompile(`^v\d+$`)

// last returns the last function in f.name: "(*Store).Get" of "Serve.(*Store).Get", and "Orders" of "Serve.Orders", if the
// function was inlined into Serve.
func (f function) last() string {
	parts := strings.Split(f.name, ".")
	n := len(parts)
	if n > 1 && strings.HasPrefix(parts[n-2], "(") {
		return parts[n-2] + "." + parts[n-1]
	}
	return parts[n-1]
}
