// Package yamltest has tests that read settings from YAML. It is a module of its own, so that users of the library don't
// depend on a library for YAML.
package yamltest
