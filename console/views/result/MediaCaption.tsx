/** What stands below a picture, sound, film or file: where to get it, what it is, and why it is not shown. */
import { bytesText } from "#console/design/data/Bytes.tsx"
import * as MediaKind from "./MediaKind.ts"
import type { MediaPart } from "./ResultParts.ts"

export const MediaCaption = ({
  isShown,
  part: { contentType, height, kind, size, url, width }
}: {
  readonly part: MediaPart
  /** Whether the page's policy lets it show what is at the URL. */
  readonly isShown: boolean
}) => {
  const called = MediaKind.nameOf(kind, contentType)
  const isFile = kind === "file"
  const facts = [
    width !== null && height !== null ? `${width} × ${height}` : null,
    contentType,
    size === null ? null : bytesText(size)
  ].filter((said) => said !== null)
  const name = MediaKind.fileName(url, called)
  return (
    <figcaption>
      {!isShown && !isFile && (
        <span>
          {called} of {MediaKind.siteOf(url)}, which this page does not load.
        </span>
      )}
      <a href={url} target="_blank" rel="noopener noreferrer" download={name}>
        {isShown && !isFile ? "Download" : isFile ? `Download ${name}` : `Open ${name}`}
      </a>
      {facts.length > 0 && <span>{facts.join(" · ")}</span>}
    </figcaption>
  )
}
