// SPDX-License-Identifier: LGPL-2.1-or-later

// Regular expressions as the options of mprof have them: POSIX extended ones,
// as the C library reads them, in expressions of JavaScript.  What they mean
// differs in many small things, such as [\w], a{,3}, ^* or a ) without its (;
// and they match bytes, so that names are compared as the bytes of UTF-8, one
// character each.  An invalid one is an Error with the words of the C library.
//
// A back reference is an error here: what it means to the C library depends
// on which of several matches is found, of which JavaScript finds another.

const asBytes = (text) => Array.from(new TextEncoder().encode(text),
  (byte) => String.fromCharCode(byte)).join('');

const BAD = {
  all: 'Invalid regular expression',
  bracket: 'Unmatched [, [^, [:, [., or [=',
  paren: 'Unmatched ( or \\(',
  brace: 'Unmatched \\{',
  interval: 'Invalid content of \\{\\}',
  range: 'Invalid range end',
  repeat: 'Invalid preceding regular expression',
  escape: 'Trailing backslash',
  class: 'Invalid character class name',
  element: 'Invalid collation character',
  size: 'Regular expression too big',
  reference: 'back references are for the options of mprof alone',
};

const CLASSES = {
  alpha: 'A-Za-z', digit: '0-9', alnum: 'A-Za-z0-9', upper: 'A-Z',
  lower: 'a-z', space: ' \\t-\\r', blank: ' \\t', punct: '!-\\/:-@\\[-`{-~',
  print: ' -~', graph: '!-~', cntrl: '\\0-\\x1f\\x7f', xdigit: '0-9A-Fa-f',
};

// What a backslash makes of a letter; \< and \> are the beginning and the end
// of a word.
const ESCAPES = {
  w: '[A-Za-z0-9_]', W: '[^A-Za-z0-9_]', s: '[ \\t-\\r]', S: '[^ \\t-\\r]',
};
const ANCHORS = {
  b: '\\b', B: '\\B', '`': '^', "'": '$',
  '<': '(?<![A-Za-z0-9_])(?=[A-Za-z0-9_])',
  '>': '(?<=[A-Za-z0-9_])(?![A-Za-z0-9_])',
};

const MOST_REPEATS = 32767;

class Expression {
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.depth = 0;
  }

  get next() {
    return this.text[this.at];
  }

  fail(why) {
    throw new Error(BAD[why]);
  }

  static quote(character) {
    return character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&');
  }

  // Everything up to the end, or to the ) of this group.
  alternatives() {
    let made = this.branch();
    while (this.next === '|') {
      this.at++;
      made += `|${this.branch()}`;
    }
    return made;
  }

  branch() {
    let made = '';
    while (this.at < this.text.length && this.next !== '|' &&
           !(this.next === ')' && this.depth > 0)) made += this.piece();
    return made;
  }

  // An anchor, or an atom with all repeats behind it.
  piece() {
    const { anchor, atom } = this.atom();
    if (anchor !== undefined) return anchor;
    let made = atom;
    for (let more = this.repeat(); more !== ''; more = this.repeat())
      made = `(?:${made})${more}`;
    return made;
  }

  atom() {
    const c = this.text[this.at++];
    switch (c) {
      case '^': case '$': return { anchor: c };
      case '.': return { atom: '[^]' };
      case '[': return { atom: this.brackets() };
      case '(': return { atom: this.group() };
      case '*': case '+': case '?': case '{': return this.fail('repeat');
      case '\\': return this.escape();
      default: return { atom: Expression.quote(c) };
    }
  }

  escape() {
    if (this.at === this.text.length) this.fail('escape');
    const c = this.text[this.at++];
    if (/[1-9]/.test(c)) this.fail('reference');
    return c in ANCHORS ? { anchor: ANCHORS[c] }
      : { atom: ESCAPES[c] ?? Expression.quote(c) };
  }

  group() {
    this.depth++;
    const inside = this.alternatives();
    this.depth--;
    if (this.next !== ')') this.fail('paren');
    this.at++;
    return `(?:${inside})`;
  }

  repeat() {
    if (/[*+?]/.test(this.next ?? '')) return this.text[this.at++];
    if (this.next !== '{') return '';
    this.at++;
    const least = this.bound();
    if (least.value === null && least.end !== ',') this.fail('interval');
    least.value ??= 0;
    const most = least.end === '}' ? least : this.bound();
    if (most.end !== '}' || least.value > (most.value ?? Infinity))
      this.fail('interval');
    if ((most.value ?? least.value) > MOST_REPEATS) this.fail('size');
    return `{${least.value},${most.value ?? ''}}`;
  }

  // A number and what ends it, a comma or a }; null for none.
  bound() {
    let digits = '';
    for (;;) {
      if (this.next === undefined) this.fail('brace');
      const escaped = this.next === '\\' && this.at + 1 < this.text.length;
      if (escaped) this.at++;
      const c = this.text[this.at++];
      if (c === ',' || (c === '}' && !escaped)) {
        if (!/^\d*$/.test(digits)) this.fail('interval');
        return { value: digits === '' ? null : Number(digits), end: c };
      }
      digits += escaped ? '\\' : c;
    }
  }

  // What follows a [.
  brackets() {
    const not = this.next === '^';
    if (not) this.at++;
    if (this.next === undefined) this.fail('all');
    let made = '';
    for (let first = true; first || this.next !== ']'; first = false)
      made += this.element(first);
    this.at++;
    if (made === '') return not ? '[^]' : '[]';
    return `[${not ? '^' : ''}${made}]`;
  }

  element(first) {
    const start = this.member(first);
    if (this.next !== '-' || this.text[this.at + 1] === ']')
      return this.meaning(start);
    if (this.at + 1 >= this.text.length) this.fail('bracket');
    this.at++;
    const end = this.member(true);
    if (start.kind === ':' || end.kind === ':' || start.kind === '=' ||
        end.kind === '=') this.fail('range');
    const [from, to] = [this.meaning(start), this.meaning(end)];
    if (start.name > end.name) this.fail('range');
    return `${from}-${to}`;
  }

  // A character, or [: :] and the like.  A - is a character at the beginning
  // and at the end, and as the end of a range: with HYPHEN, anywhere.
  member(hyphen) {
    const c = this.text[this.at++];
    if (c === undefined) this.fail('bracket');
    if (c === '-' && !hyphen && this.next !== ']') this.fail('range');
    if (c !== '[' || !/[.:=]/.test(this.next ?? '')) return { name: c };
    const kind = this.next;
    const end = this.text.indexOf(`${kind}]`, this.at + 1);
    const name = this.text.slice(this.at + 1, end);
    if (end < 0 || name.length > 31) this.fail('bracket');
    this.at = end + 2;
    return { kind, name };
  }

  meaning({ kind, name }) {
    if (kind !== ':' && name.length !== 1) this.fail('element');
    if (kind === ':' && !Object.hasOwn(CLASSES, name)) this.fail('class');
    return kind === ':' ? CLASSES[name] : Expression.quote(name);
  }
}

// A test of names for TEXT, an expression of mprof.
function expressionTest(text) {
  const pattern = new RegExp(new Expression(asBytes(text)).alternatives());
  return (name) => pattern.test(asBytes(name));
}
