const reserved = new Set(
  `await break case catch class const continue debugger default delete do else enum export extends false finally for
  function if implements import in instanceof interface let new null package private protected public return static super
  switch this throw true try typeof var void while with yield arguments eval undefined NaN Infinity async of
  __proto__ constructor prototype`.split(/\s+/),
);

/** Whether a name can be declared in a module. */
export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]{0,100}$/.test(name) && !reserved.has(name);
}
