/**
 * Takes what looks like a secret out of a text. Log lines are written without secrets; this is a second wall, for texts of
 * libraries and of other servers that a line quotes.
 */

const mark = "…"

/** Words that end the name of a secret, as in `fal_jwt_token` or `X-Amz-Signature`. */
const names =
  "api[_-]?key|access[_-]?key|master[_-]?key|private[_-]?key|secret|password|passwd|signature|token|authorization|cookie"

const patterns: ReadonlyArray<readonly [RegExp, string]> = [
  // Keys of accounts, workers and operators: `<keyId>:<secret>`.
  [/\b((?:key|op|worker)_[A-Za-z0-9._-]{1,64}):[\x21-\x7e]{8,256}/g, `$1:${mark}`],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=:-]{8,}/gi, `$1 ${mark}`],
  [/\b(Key)\s+[A-Za-z0-9._~+/=:-]{8,}/g, `$1 ${mark}`],
  [/\bwhsec_[A-Za-z0-9+/=]{8,}/g, `whsec_${mark}`],
  // Keys of other services.
  [/\b(sk|r8|hf|gh[opsu]|xox[abp])([-_])[A-Za-z0-9_-]{16,}/g, `$1$2${mark}`],
  // JSON Web Tokens.
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g, mark],
  // The password in a URL, or what stands for it.
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]{0,256}):[^\s/@]{1,512}@/gi, `$1:${mark}@`],
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/:@]{16,512}@/gi, `$1${mark}@`],
  // A whole header, whatever its scheme.
  [/\b((?:set-)?cookie|authorization)(["']?\s*:\s*["']?)[^\s"',…]{6,}[^"'\n,…]*…?/gi, `$1$2${mark}`],
  // In JSON to the closing quote, also in JSON that is itself a text.
  [new RegExp(`((?:${names})\\\\?"\\s*:\\s*\\\\?")[^"\\\\]+`, "gi"), `$1${mark}`],
  [new RegExp(`((?:${names})["']?\\s*=\\s*["']?)[^\\s"'&,}…]{6,}`, "gi"), `$1${mark}`],
  [new RegExp(`\\b((?:${names})["']?\\s*:\\s*["']?)[^\\s"'&,}…]{6,}`, "gi"), `$1${mark}`]
]

export const from = (text: string): string =>
  patterns.reduce((left, [pattern, by]) => left.replace(pattern, by), text)

const secretName = new RegExp(`(?:^|[_.-])(?:${names})$`, "i")

/** Whether a fact of this name is a secret as a whole. */
export const isSecretName = (name: string): boolean => secretName.test(name)

/** Instead of such a fact. */
export const whole = mark
