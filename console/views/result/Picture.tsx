/** A picture that says so when it cannot be loaded. */
import { useState } from "react"

export const Picture = ({
  alt,
  className,
  src
}: {
  readonly src: string
  readonly alt: string
  readonly className?: string | undefined
}) => {
  /** The address that failed: another one is tried. */
  const [failed, setFailed] = useState<string | null>(null)
  return failed === src ? (
    <span>The picture cannot be shown: it is deleted, damaged, or of an unknown form.</span>
  ) : (
    <img src={src} alt={alt} className={className} onError={() => setFailed(src)} />
  )
}
