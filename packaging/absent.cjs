// In place of libraries that dockerode loads and nothing here uses: gRPC and its parsers, for builds with BuildKit.
module.exports = {};
