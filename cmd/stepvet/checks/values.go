package checks

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// values maps each variable of a package to the value that is assigned to it. The value is nil if it isn't known, for example because
// there is a second assignment, or because the address of the variable is taken by &.
type values map[*types.Var]ast.Expr

func valuesOf(pass *analysis.Pass) values {
	vs := values{}
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			vs.learn(pass.TypesInfo, n)
			return true
		})
	}
	return vs
}

// learn records what n assigns to variables.
func (vs values) learn(info *types.Info, n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, to := range n.Lhs {
			if len(n.Lhs) == len(n.Rhs) && (n.Tok == token.DEFINE || n.Tok == token.ASSIGN) {
				vs.set(info, to, n.Rhs[i])
			} else {
				vs.set(info, to, nil)
			}
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			switch {
			case len(n.Values) == len(n.Names):
				vs.set(info, name, n.Values[i])
			case len(n.Values) > 0:
				vs.set(info, name, nil)
			}
		}
	case *ast.FuncDecl:
		vs.unknown(info, n.Recv)
	case *ast.FuncType: // parameters and results have a value before they are assigned
		vs.unknown(info, n.Params)
		vs.unknown(info, n.Results)
	case *ast.RangeStmt:
		vs.set(info, n.Key, nil)
		vs.set(info, n.Value, nil)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			vs.set(info, n.X, nil)
		}
	}
}

// set records a value of the variable that to names; nil stands for an unknown value.
func (vs values) set(info *types.Info, to, value ast.Expr) {
	id, ok := ast.Unparen(to).(*ast.Ident)
	if !ok {
		return
	}
	v, ok := info.ObjectOf(id).(*types.Var)
	if !ok {
		return
	}
	if _, again := vs[v]; again {
		value = nil
	}
	vs[v] = value
}

// unknown records that the parameters, results or receivers in list have no known values. list may be nil.
func (vs values) unknown(info *types.Info, list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, field := range list.List {
		for _, name := range field.Names {
			vs.set(info, name, nil)
		}
	}
}

// of returns the known value of the variable that e names, and otherwise e. A variable that other packages can assign is unknown.
func (vs values) of(info *types.Info, e ast.Expr) ast.Expr {
	for range len(vs) { // bounded, because two variables may be assigned to each other
		id, ok := ast.Unparen(e).(*ast.Ident)
		if !ok {
			break
		}
		v, ok := info.Uses[id].(*types.Var)
		if !ok || vs[v] == nil || v.Exported() && v.Parent() == v.Pkg().Scope() {
			break
		}
		e = vs[v]
	}
	return ast.Unparen(e)
}
