# Yatlab in a container, on Debian 12, or 13 with --build-arg DEBIAN=13.
#
#   docker build -t yatlab .
#   docker run --rm yatlab mnist_inversion scale=smoke
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" yatlab mnist_inversion     # results stay in ./results, data in ./data
#
# Stages: build (compiler and libraries; the dev container uses it), package (compiles Yatlab with all packs), run (run-time packages only).
ARG DEBIAN=12

# First the list in run.sh, which installs what is missing here; then what `package` and `test` add; then tools for a developer.
FROM debian:${DEBIAN} AS build
RUN apt-get update && \
    apt-get install -y --no-install-recommends \
      g++ cmake ninja-build libtorch-dev libopenblas0-pthread libyaml-cpp-dev libfmt-dev nlohmann-json3-dev \
      libboost-program-options-dev libboost-dev libssl-dev zlib1g-dev liblzma-dev libzstd-dev libpcre2-dev libcurl4-openssl-dev \
      libpng-dev libturbojpeg0-dev libcsv-dev libarchive-dev libsqlite3-dev libgloo-dev libprotobuf-dev protobuf-compiler \
      gnuplot-nox fonts-dejavu-core \
      dpkg-dev file catch2 \
      ca-certificates ccache clang-format gdb git openssh-client sudo && \
    rm -rf /var/lib/apt/lists/* && \
    useradd --create-home --shell /bin/bash --uid 1000 dev && \
    echo 'dev ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/dev

FROM build AS package
COPY . /src
WORKDIR /src
RUN ./run.sh package

# The .deb names the libraries, fonts and gnuplot that it needs.
FROM debian:${DEBIAN}-slim AS run
COPY --from=package /src/build/release/packages/yatlab_*.deb /tmp/
RUN apt-get update && \
    apt-get install -y --no-install-recommends /tmp/yatlab_*.deb && \
    rm -rf /tmp/yatlab_*.deb /var/lib/apt/lists/* && \
    useradd --create-home --uid 1000 yatlab && \
    install -d -m 1777 /work
ENV LANG=C.UTF-8
WORKDIR /work
USER yatlab
ENTRYPOINT ["yatlab"]
CMD ["help"]
