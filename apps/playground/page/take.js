// What one can take along: the link, the files of the model, the pictures.

/// The bytes of a tar archive (POSIX.1-1988) with files in one folder: [{name, bytes}].
function tar_of(folder, files) {
  const encoder = new TextEncoder(), blocks = [];
  for (const {name, bytes} of files) {
    const head = new Uint8Array(512);
    const put = (at, text) => head.set(encoder.encode(text), at), octal = (number, digits) => number.toString(8).padStart(digits, "0");
    put(0, `${folder}/${name}`);
    put(100, "0000644\0" + "0000000\0" + "0000000\0");                            // mode, user, group
    put(124, octal(bytes.length, 11) + "\0" + octal(Math.floor(Date.now() / 1000), 11) + "\0");
    put(148, "        0");                                                        // the sum counts itself as blanks
    put(257, "ustar\0" + "00");
    put(148, octal(head.reduce((sum, byte) => sum + byte, 0), 6) + "\0 ");
    blocks.push(head, bytes, new Uint8Array((512 - bytes.length % 512) % 512));
  }
  return new Blob([...blocks, new Uint8Array(1024)], {type: "application/x-tar"});
}

function save_file(name, blob) {
  const address = URL.createObjectURL(blob);
  element("a", {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/// Saves the model directory, for regard translate and regard explore.
async function save_model() {
  const {files} = await call("files");
  save_file("model.tar", tar_of("model", files));
  tell("Saved model.tar. Unpack it with “tar xf model.tar”; then “regard translate model” and “regard explore model” read it.");
}

/// Saves one picture of the moment that is shown: both curves, the test sentence, and a row of maps for each layer.
function save_picture() {
  const {step, translation} = shown_moment(), {attention} = translation, side = 100, left = 160, top = 210;
  const width = left + side * Math.max(6, ...attention.map(({heads}) => heads.length));
  const canvas = element("canvas", {width, height: top + side * attention.length}), context = canvas.getContext("2d");
  context.fillStyle = `rgb(${colour("ground")})`;
  context.fillRect(0, 0, width, canvas.height);
  [by_id("loss"), by_id("exact")].forEach((curve, i) =>
    context.drawImage(curve, i * width / 2, 30, Math.min(width / 2, 140 * curve.width / curve.height), 140));
  context.imageSmoothingEnabled = false;
  context.fillStyle = `rgb(${colour("ink")})`;
  context.font = "14px system-ui, sans-serif";
  context.fillText(`Step ${step}: loss and exact match`, 8, 20);
  context.fillText(`${play.made.test.source} → ${translation.hypotheses[0].text}`, 8, 195, width - 16);
  attention.forEach((layer, row) => {
    context.fillText(layer_title(layer), 8, top + side * (row + 0.5));
    layer.heads.forEach((_, head) => context.drawImage(watched.maps.get(head_id({attention: layer.name, head})),
                                                       left + side * head, top + side * row, side - 8, side - 8));
  });
  canvas.toBlob((blob) => save_file(`step-${step}.png`, blob));
}
