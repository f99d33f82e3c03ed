/**
 * Takes what looks like a secret out of a text. Log lines are written without secrets; this is a second wall, for texts of
 * libraries and of other servers that a line quotes.
 */

const mark = "…"

const patterns: ReadonlyArray<readonly [RegExp, string]> = [
  // Keys of accounts, workers and operators: `<keyId>:<secret>`.
  [/\b((?:key|op|worker)_[A-Za-z0-9._-]{1,64}):[\x21-\x7e]{8,256}/g, `$1:${mark}`],
  [/\b(Bearer|Basic|Key)\s+[A-Za-z0-9._~+/=:-]{8,}/g, `$1 ${mark}`],
  [/\bwhsec_[A-Za-z0-9+/=]{8,}/g, `whsec_${mark}`],
  // JSON Web Tokens.
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g, mark],
  // The password in a URL.
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s/:@]*):[^\s/@]+@/gi, `$1:${mark}@`],
  [
    /\b((?:api[_-]?key|access[_-]?token|client[_-]?secret|secret|password|signature|token)["']?\s*[=:]\s*["']?)[^\s"'&,}]{6,}/gi,
    `$1${mark}`
  ]
]

export const from = (text: string): string =>
  patterns.reduce((left, [pattern, by]) => left.replace(pattern, by), text)
