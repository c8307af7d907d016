resource "aws_s3_bucket" "seeds" {
  bucket = "hassock-seeds"
}

resource "aws_s3_bucket_public_access_block" "seeds" {
  bucket              = aws_s3_bucket.seeds.id
  block_public_access = true
}
