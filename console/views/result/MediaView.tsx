/** A sound, a film, or a file to download. */
import { MediaCaption } from "./MediaCaption.tsx"
import * as MediaKind from "./MediaKind.ts"
import { useMediaOrigins } from "./MediaOrigins.ts"
import classes from "./Result.module.css"
import type { MediaPart } from "./ResultParts.ts"

export const MediaView = ({ part }: { readonly part: MediaPart }) => {
  const { contentType, kind, name, thumbnailUrl, url } = part
  const origins = useMediaOrigins()
  const isShown = MediaKind.isAllowed(url, origins)
  const called = MediaKind.nameOf(kind, contentType)
  return (
    <figure className={classes["media"]}>
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- Models make no captions. */}
      {isShown && kind === "audio" && (
        <audio controls preload="metadata" src={url} aria-label={name ?? called} />
      )}
      {isShown && kind === "video" && (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- Models make no captions.
        <video
          controls
          preload="metadata"
          src={url}
          aria-label={name ?? called}
          {...(thumbnailUrl === null ? {} : { poster: thumbnailUrl })}
        />
      )}
      <MediaCaption part={part} isShown={isShown} />
    </figure>
  )
}
