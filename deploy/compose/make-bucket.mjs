/** Makes a bucket if it is missing: node make-bucket.mjs BUCKET ENDPOINT. The credentials are those of the environment. */
import { CreateBucketCommand, HeadBucketCommand, S3Client } from "@aws-sdk/client-s3"

const [bucket, endpoint] = process.argv.slice(2)
const s3 = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true })
try {
  await s3.send(new HeadBucketCommand({ Bucket: bucket }))
} catch (error) {
  if (error.$metadata?.httpStatusCode !== 404) throw error
  await s3.send(new CreateBucketCommand({ Bucket: bucket }))
}
